// Starting what takes longer in a worker: the page stays free, and the work can be ended.

let address = null; // of the worker's script, which the page has in it

/**
 * Have a task of worker.js done; `progress` is told the share that is done.
 * @returns {{result: Promise<object | null>, cancel: () => void}} null if it was cancelled
 */
export function inBackground(task, data, given, progress) {
  address ??= URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }));
  const worker = new Worker(address);
  let cancel = () => {};
  const result = new Promise((resolve, reject) => {
    const end = (settle, value) => { worker.terminate(); settle(value); };
    worker.addEventListener("message", ({ data: { progress: share, result: found, failure } }) => {
      if (share !== undefined) progress(share);
      else if (failure !== undefined) end(reject, new Error(failure));
      else end(resolve, found);
    });
    worker.addEventListener("error", ({ message }) => end(reject, new Error(message || "this browser starts no worker")));
    cancel = () => end(resolve, null);
  });
  worker.postMessage({ task, data, given });
  return { result, cancel };
}
