// `node scripts/readme.mjs`: copies examples/readme.ts, which is compiled and run, into README.md
// between its markers. test/tidy.test.ts fails when the two differ.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runScript, ScriptError } from './child.mjs'

const begin = '<!-- begin examples/readme.ts -->\n'
const end = '<!-- end examples/readme.ts -->'

await runScript(() => {
  const path = join(root, 'README.md')
  const readme = readFileSync(path, 'utf8')
  const code = readFileSync(join(root, 'examples', 'readme.ts'), 'utf8')
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end)
  if (from < 0 || to < from) {
    throw new ScriptError(`README.md has lost its markers: ${begin.trim()} and ${end}`)
  }
  const head = readme.slice(0, from + begin.length)
  writeFileSync(path, `${head}\`\`\`ts\n${code}\`\`\`\n${readme.slice(to)}`)
  return 0
})
