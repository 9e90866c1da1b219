// Browsers start no workers on pages that were opened as files. The site's search is one: let a hidden
// frame do its work there. Where a server is behind the page nothing changes.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #waiting = [];
    #inside = null;

    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      script.src = address;
      script.onload = () => {
        this.#inside = inside;
        this.#waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      frame.contentDocument.head.append(script);
    }

    postMessage(data) {
      if (this.#inside === null) this.#waiting.push(data);
      else this.#inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
