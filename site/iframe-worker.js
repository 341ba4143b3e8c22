// A browser starts no worker from a file, and the search is one. From a file, its script runs in a hidden frame
// instead: what would be posted to the worker becomes an event there, and what it posts an event here.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe")
    #waiting = []

    constructor(url) {
      super()
      this.#frame.hidden = true
      document.body.append(this.#frame)
      const inside = this.#frame.contentWindow
      const load = (address) =>
        new Promise((done, failed) => {
          const script = inside.document.createElement("script")
          script.src = address
          script.onload = done
          script.onerror = failed
          inside.document.head.append(script)
        })
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      inside.importScripts = (...addresses) =>
        addresses.reduce((last, each) => last.then(() => load(new URL(each, url))), Promise.resolve())
      load(url).then(() => {
        const waiting = this.#waiting
        this.#waiting = null
        waiting.forEach((data) => this.postMessage(data))
      })
    }

    postMessage(data) {
      if (this.#waiting) this.#waiting.push(data)
      else this.#frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
    }

    terminate() {
      this.#frame.remove()
    }
  }
}
