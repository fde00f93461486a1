// Search in pages that are opened from the disk: browsers start no workers there, so that the
// search runs in a hidden frame. Material's plugin `offline` takes this in place of one of the net.
window.IFrameWorker = class extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.inside = frame.contentWindow;
    this.inside.postMessage = (data) => this.hear(data);
    this.inside.document.write(`<script src="${url}"></script>`);
    this.inside.document.close();
    this.ready = new Promise((resolve) => frame.addEventListener("load", resolve));
  }

  hear(data) {
    const event = new MessageEvent("message", { data });
    this.dispatchEvent(event);
    if (this.onmessage) this.onmessage(event);
  }

  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
  }
};
if (location.protocol === "file:") window.Worker = window.IFrameWorker;
