// Preferences, in memory.
import { businessError } from './business-error.mjs'

const MAX_KEY_BYTES = 1024
const MAX_VALUE_BYTES = 16 * 1024 * 1024
const stores = new Map()

class Preferences {
  #values = new Map()
  getSync(key, defaultValue) {
    return this.#values.get(key) ?? defaultValue
  }
  putSync(key, value) {
    const bytes = typeof value === 'string' ? Buffer.byteLength(value) : 0
    if (!key || Buffer.byteLength(key) > MAX_KEY_BYTES || bytes > MAX_VALUE_BYTES) throw businessError(401, 'Parameter error.')
    this.#values.set(key, value)
  }
  hasSync(key) {
    return this.#values.has(key)
  }
  deleteSync(key) {
    this.#values.delete(key)
  }
  async flush() {}
}

function getPreferencesSync(_, { name }) {
  if (!stores.has(name)) stores.set(name, new Preferences())
  return stores.get(name)
}

export const preferences = { getPreferencesSync, getPreferences: async (...args) => getPreferencesSync(...args) }
