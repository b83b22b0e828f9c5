// A suite that nothing imports never runs, here or on a phone.
import path from 'node:path'
import { ts } from '../language.mjs'

const FIRST = 'List.test.ets'

export function checkSuites(root, files, report) {
  const tests = path.join(root, 'entry/src/ohosTest/ets/test')
  const byName = new Map(files.map((file) => [file.fileName, file]))
  const reached = new Set()
  const reach = (name) => {
    const file = byName.get(name)
    if (!file || reached.has(name)) return
    reached.add(name)
    for (const statement of file.statements.filter(ts.isImportDeclaration)) {
      const { text } = statement.moduleSpecifier
      if (text.startsWith('.')) reach(`${path.resolve(path.dirname(name), text)}.ets`)
    }
  }
  reach(path.join(tests, FIRST))
  for (const { fileName } of files) {
    if (fileName.startsWith(tests) && fileName.endsWith('.test.ets') && !reached.has(fileName)) report(fileName, 1, `${FIRST} does not lead to this suite`)
  }
}
