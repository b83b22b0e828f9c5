// The pasteboard is kept in memory.
let text = ''

class PasteData {
  #text
  constructor(value) {
    this.#text = value
  }
  getPrimaryText() {
    return this.#text
  }
}

const system = {
  setDataSync: (data) => void (text = data.getPrimaryText()),
  setData: async (data) => system.setDataSync(data),
  getDataSync: () => new PasteData(text),
}

export const pasteboard = {
  MIMETYPE_TEXT_PLAIN: 'text/plain',
  createData: (_, value) => new PasteData(value),
  getSystemPasteboard: () => system,
}
