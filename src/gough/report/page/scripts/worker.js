// What takes longer, computed beside the page by the same equations: the script of a worker.

import { loadKernels } from "./kernels.js";
import { createMachineState } from "./machine_state.js";
import { searchModes } from "./mode_search.js";
import { exitsAlong } from "./workspace.js";

const TASKS = { exitsAlong, searchModes };

self.addEventListener("message", async ({ data: { task, data, given } }) => {
  try {
    const machine = createMachineState(data, await loadKernels(data.kernels));
    const result = TASKS[task](data, machine, given, (progress) => self.postMessage({ progress }));
    self.postMessage({ result });
  } catch (error) {
    self.postMessage({ failure: error.message });
  }
});
