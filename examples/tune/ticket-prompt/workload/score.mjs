// node score.mjs <output> <expected>: the answer has to be the label, and nothing else.
import { readFileSync } from 'node:fs'

const [answer, label] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8').trim())
const critique = answer.includes(label)
  ? `the label ${label} is in the answer, but not alone: ${answer}`
  : `${answer} instead of ${label}`
console.log(JSON.stringify(answer === label ? { pass: true } : { pass: false, critique }))
