// The store of secrets, in memory.
import { businessError } from './business-error.mjs'

const Tag = {
  SECRET: 0x30000001, ALIAS: 0x30000002, ACCESSIBILITY: 0x20000003, CONFLICT_RESOLUTION: 0x20000044,
  RETURN_TYPE: 0x20000040, IS_PERSISTENT: 0x10000011,
}
const Accessibility = { DEVICE_POWERED_ON: 0, DEVICE_FIRST_UNLOCKED: 1, DEVICE_UNLOCKED: 2 }
const ConflictResolution = { OVERWRITE: 0, THROW_ERROR: 1 }
const ReturnType = { ALL: 0, ATTRIBUTES: 1 }
const MAX_SECRET_BYTES = 1024
const MAX_ALIAS_BYTES = 256

const stored = new Map() // alias -> attributes

function aliasOf(attributes) {
  const alias = attributes.get(Tag.ALIAS)
  if (!(alias instanceof Uint8Array) || alias.length === 0 || alias.length > MAX_ALIAS_BYTES) throw businessError(401, 'Parameter error.')
  return Buffer.from(alias).toString()
}

function addSync(attributes) {
  const alias = aliasOf(attributes)
  const secret = attributes.get(Tag.SECRET)
  if (!(secret instanceof Uint8Array) || secret.length > MAX_SECRET_BYTES) throw businessError(401, 'Parameter error.')
  const overwrite = attributes.get(Tag.CONFLICT_RESOLUTION) === ConflictResolution.OVERWRITE
  if (stored.has(alias) && !overwrite) throw businessError(24000003, 'The asset already exists.')
  stored.set(alias, new Map(attributes))
}

function found(query) {
  const asset = stored.get(aliasOf(query))
  if (!asset) throw businessError(24000002, 'The asset is not found.')
  return asset
}

/** The secret itself is only given when the query asks for all. */
function querySync(query) {
  const asset = new Map(found(query))
  if (query.get(Tag.RETURN_TYPE) !== ReturnType.ALL) asset.delete(Tag.SECRET)
  return [asset]
}

function removeSync(query) {
  found(query)
  stored.delete(aliasOf(query))
}

const later = (action) => async (...args) => action(...args)
export const asset = {
  Tag, Accessibility, ConflictResolution, ReturnType,
  addSync, querySync, removeSync, add: later(addSync), query: later(querySync), remove: later(removeSync),
}
