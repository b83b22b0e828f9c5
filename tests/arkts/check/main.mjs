// node main.mjs [PROJECT]: checks a DevEco project (default: harmony-demo) without its SDK. One line for each fault, then
// "N files, M faults". What it can't know: whether the real SDK agrees with the declarations in types/.
import path from 'node:path'
import { project } from '../folders.mjs'
import { checkConfiguration } from './configuration.mjs'
import { checkLanguage } from './language.mjs'
import { checkResources } from './resources.mjs'
import { checkSuites } from './suites.mjs'
import { checkUi } from './ui.mjs'

const root = path.resolve(process.argv[2] ?? project)
const faults = []
// file, line (from 1) and text of a fault
const report = (file, line, text) => faults.push(`${path.relative(root, file)}:${line}: ${text}`)

const files = checkLanguage(root, report)
checkUi(files, report)
checkResources(root, files, report)
checkSuites(root, files, report)
const configured = checkConfiguration(root, files, report)

for (const fault of faults.sort()) console.log(fault)
console.log(`${files.length + configured} files, ${faults.length} faults`)
process.exitCode = faults.length > 0 || files.length === 0 ? 1 : 0
