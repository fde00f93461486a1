// The workbench in a notebook: its page in a frame, and its pose on both sides.

export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    Object.assign(frame, { srcdoc: model.get("page"), title: model.get("title"), allow: "clipboard-write" });
    Object.assign(frame.style, { width: "100%", height: `${model.get("height")}px`, border: "0", borderRadius: "8px" });
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow || !data?.gough?.pose) return;
      model.set("pose", data.gough.pose);
      model.save_changes();
    };
    const tell = () => frame.contentWindow?.postMessage({ gough: { pose: model.get("pose") } }, "*");
    window.addEventListener("message", hear);
    model.on("change:pose", tell);
    el.append(frame);
    return () => {
      window.removeEventListener("message", hear);
      model.off("change:pose", tell);
    };
  },
};
