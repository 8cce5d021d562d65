// A build from a loop file: real git, sandbox, checks, certification and run folder. Only the agents are scripted: two small programs.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { previewLoop, trustLoop } from '../../../src/launch/load-loop.ts'
import { openApi } from '../../daemon/api-fixture.ts'
import { newRepository } from '../../worktree-fixture.ts'

/** Writes the file of the task in its prompt, and its test. */
const maker = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const task = /^## Your task \\((\\d+) of/m.exec(prompt)?.[1] ?? '0'
mkdirSync('src', { recursive: true })
writeFileSync(\`src/task-\${task}.mjs\`, \`export const task = \${task}\\n\`)
console.log(\`Implemented task \${task}.\`)
`

const reviewer = `
import { readFileSync, writeFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const token = /"token": "([0-9a-f]{32})"/.exec(prompt)?.[1]
let wrote = false
try { writeFileSync('src/reviewer.mjs', ''); wrote = true } catch {}
console.log('I read the files.')
console.log('\`\`\`json')
console.log(JSON.stringify({ token, verdict: wrote ? 'fail' : 'pass', reasons: [{ text: 'looked' }] }))
console.log('\`\`\`')
`

const plan = '# Plan\n\n- [ ] Write part 1\n- [ ] Write part 2\n- [ ] Write part 3\n'

test('a plan of three tasks is built in a worktree, reviewed, certified and reported', async () => {
  const repository = newRepository({
    'package.json': '{ "name": "shop", "type": "module", "exports": "./src/index.mjs" }\n',
    'src/index.mjs': 'export const shop = 1\n',
    'tools/maker.mjs': maker,
    'tools/reviewer.mjs': reviewer,
    'loops/shop.yaml': `loop: build
agents:
  maker: { command: [node, tools/maker.mjs] }
  reviewer: { command: [node, tools/reviewer.mjs] }
spec: specs/shop.md
checks: { parts: 'test -f src/task-3.mjs' }
certify: { dependencies: none, require: checks-pass }
workspace: ..
limits: { iterations: 6 }
`,
  })
  // Not committed: they are read when the run is created.
  mkdirSync(join(repository.checkout, 'specs/planning'), { recursive: true })
  writeFileSync(join(repository.checkout, 'specs/shop.md'), '# Shop\n\nThree parts.\n')
  writeFileSync(join(repository.checkout, 'specs/planning/shop-plan.md'), plan)
  const { host, send } = await openApi()
  const file = join(repository.checkout, 'loops/shop.yaml')
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  const created = await send('POST', '/runs', { file, attended: true, worktree: { use: true } })
  expect(created.text).toMatch(/"run":/)
  const { id } = created.body['run'] as { readonly id: string }
  const row = () => host.journal.findRun(id)
  for (;;) {
    const { status } = await row()
    if (!['pending', 'running', 'queued', 'waiting'].includes(status)) break
    await new Promise((done) => setTimeout(done, 100))
  }
  const { state, run } = await host.inspect(id)
  expect(state.outcome).toEqual({ type: 'completed', condition: 'all(plan-complete, checks-pass)' })
  expect(state.iteration).toBe(3)
  const branch = `run/${run.name}`
  expect(repository.git('show', `${branch}:specs/planning/shop-plan.md`)).toBe(
    plan.replaceAll('[ ]', '[R]'),
  )
  expect(readdirSync(repository.checkout).toSorted()).toContain('specs')
  expect(existsSync(join(repository.checkout, 'src/task-1.mjs'))).toBe(false)
  expect(readFileSync(join(repository.checkout, 'specs/planning/shop-plan.md'), 'utf8')).toBe(plan)
})
