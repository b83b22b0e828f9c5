import { randomUUID } from 'node:crypto'
import { format } from 'node:util'

class Decoder {
  #decoder
  constructor(encoding, options) {
    this.#decoder = new TextDecoder(encoding, options)
  }
  static create(encoding = 'utf-8', options = {}) {
    return new Decoder(encoding, options)
  }
  decodeToString(input, { stream = false } = {}) {
    if (input.length === 0) return undefined // so does the phone, whatever its declaration says
    return this.#decoder.decode(input, { stream })
  }
}

class Encoder {
  static create() {
    return new Encoder()
  }
  encodeInto(input = '') {
    return new TextEncoder().encode(input)
  }
}

export const util = { TextDecoder: Decoder, TextEncoder: Encoder, generateRandomUUID: () => randomUUID(), format }
