// What scripts/bench.sh leaves in benches/results/raw, and how a figure is written.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export function measured(folder) {
  const text = (file) => readFileSync(join(folder, file), 'utf8')
  const json = (file) => JSON.parse(text(file))
  return { machine: text('machine.txt'), core: json('core.json'), node: json('node.json'), layers: json('layers.json'), files: json('files.json') }
}

export const number = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 10 ? 3 : 2))
