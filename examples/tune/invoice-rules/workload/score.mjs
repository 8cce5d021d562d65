// node score.mjs <output> <expected>: which fields are right.
import { readFileSync } from 'node:fs'

const [output, expected] = process.argv
  .slice(2)
  .map((file) => JSON.parse(readFileSync(file, 'utf8')))
const wrong = Object.keys(expected).filter((field) => output[field] !== expected[field])
console.log(
  JSON.stringify({
    score: 1 - wrong.length / Object.keys(expected).length,
    pass: wrong.length === 0,
    issues: wrong.map(
      (field) => `${field}: ${output[field] || 'nothing'} instead of ${expected[field]}`,
    ),
  }),
)
