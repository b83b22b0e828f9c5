// Where things are. Apart from language.mjs, which loads the compiler: that would take long under an emulator.
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const arkts = path.dirname(fileURLToPath(import.meta.url))
export const repository = path.resolve(arkts, '../..')
export const project = path.join(repository, 'harmony-demo')
export const target = process.env.CARGO_TARGET_DIR ?? path.join(repository, 'target')
