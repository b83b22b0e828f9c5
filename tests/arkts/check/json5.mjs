// Reads JSON5, which DevEco's own files are written in, by the TypeScript parser: comments, trailing commas, bare names.
import fs from 'node:fs'
import { ts } from '../language.mjs'

export function readJson5(file) {
  const text = fs.readFileSync(file, 'utf8')
  const parsed = ts.createSourceFile(file, `(${text}\n)`, ts.ScriptTarget.ES2021, true, ts.ScriptKind.JS)
  const [error] = parsed.parseDiagnostics
  if (error) throw new SyntaxError(ts.flattenDiagnosticMessageText(error.messageText, ' '))
  const [statement, ...more] = parsed.statements
  if (more.length > 0 || !ts.isParenthesizedExpression(statement?.expression ?? {})) throw new SyntaxError('more than one value')
  return value(statement.expression.expression)
}

function value(node) {
  if (ts.isObjectLiteralExpression(node)) {
    const entries = node.properties.map((property) => {
      if (!ts.isPropertyAssignment(property)) throw new SyntaxError(`no JSON5: ${property.getText()}`)
      return [property.name.text, value(property.initializer)]
    })
    const names = entries.map(([name]) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice) throw new SyntaxError(`'${twice}' stands twice`)
    return Object.fromEntries(entries)
  }
  if (ts.isArrayLiteralExpression(node)) return node.elements.map(value)
  if (ts.isStringLiteral(node)) return node.text
  if (ts.isNumericLiteral(node)) return Number(node.text)
  if (ts.isPrefixUnaryExpression(node) && ts.isNumericLiteral(node.operand)) return -Number(node.operand.text)
  const words = { [ts.SyntaxKind.TrueKeyword]: true, [ts.SyntaxKind.FalseKeyword]: false, [ts.SyntaxKind.NullKeyword]: null }
  if (node.kind in words) return words[node.kind]
  throw new SyntaxError(`no JSON5: ${node.getText()}`)
}
