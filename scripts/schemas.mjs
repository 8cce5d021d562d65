// `node scripts/schemas.mjs`: writes schemas/**/*.schema.json from the built dist/protocol and dist/loops, and what
// policies consist of from dist/authority, so build first. test/schemas.test.ts fails when a file differs from what the code says.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, runScript, runToEnd, ScriptError } from './child.mjs'

const folder = join(root, 'schemas')
const protocol = join(root, 'dist', 'protocol', 'json-schemas.js')
const loops = join(root, 'dist', 'loops', 'index.js')
const language = join(root, 'dist', 'authority', 'policy', 'policy-language.js')
const formatter = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')

await runScript(async () => {
  if (!existsSync(protocol)) throw new ScriptError('Nothing is built yet: npm run build')
  const { jsonSchemas } = await import(pathToFileURL(protocol).href)
  const { loopTypes } = await import(pathToFileURL(loops).href)
  mkdirSync(folder, { recursive: true })
  for (const [name, schema] of Object.entries(jsonSchemas(loopTypes))) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`)
  }
  const { basePolicy, policySchema } = await import(pathToFileURL(language).href)
  writeFileSync(join(folder, 'policy.cedarschema'), policySchema)
  writeFileSync(join(folder, 'base.cedar'), basePolicy)
  return runToEnd([process.execPath, formatter, 'format', '--write', folder], { quiet: true })
})
