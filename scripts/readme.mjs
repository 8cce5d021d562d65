// `node scripts/readme.mjs`: copies the examples that README.md shows, which are compiled and run or
// checked, in between their markers. test/tidy.test.ts fails when they differ.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runScript, ScriptError } from './child.mjs'

const shown = ['examples/readme.ts', 'examples/first-loop.yaml']

await runScript(() => {
  const path = join(root, 'README.md')
  writeFileSync(path, shown.reduce(withExample, readFileSync(path, 'utf8')))
  return 0
})

function withExample(readme, example) {
  const begin = `<!-- begin ${example} -->\n`
  const end = `<!-- end ${example} -->`
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end)
  if (from < 0 || to < from) {
    throw new ScriptError(`README.md has lost its markers: ${begin.trim()} and ${end}`)
  }
  const head = readme.slice(0, from + begin.length)
  const code = readFileSync(join(root, example), 'utf8')
  const language = example.split('.').at(-1)
  return `${head}\`\`\`${language}\n${code}\`\`\`\n${readme.slice(to)}`
}
