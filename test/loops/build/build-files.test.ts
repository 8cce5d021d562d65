// A build from a loop file: real git, sandbox, checks, certification and run folder. Only the agents are scripted: two small programs.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Host, writeRunFolder } from '../../../src/host/index.ts'
import { previewLoop, trustLoop } from '../../../src/launch/load-loop.ts'
import type { Step } from '../../../src/protocol/api/index.ts'
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
if (task === '2') console.log('<promise>COMPLETE</promise>')
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
  const { host, send, get } = await openApi()
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
  await expectReport(host, id)
  const files = { spec: 'specs/shop.md', plan: 'specs/planning/shop-plan.md' }
  expect(run).toMatchObject(files)
  expect((await get(`/runs/${run.name}`)).body['run']).toMatchObject(files)
  expect((await get('/runs')).body['items']).toMatchObject([files])
  const { body } = await get(`/runs/${run.name}/steps`)
  const steps = body['items'] as readonly Step[]
  expect(
    steps
      .filter(({ iteration, phase }) => iteration === 1 && phase !== undefined)
      .map((one) => one.phase),
  ).toEqual(['implementation', 'review', 'verification'])
}, 240_000)

/** The rows and columns of the legacy report. */
async function expectReport(host: Host, id: string): Promise<void> {
  await writeRunFolder(host, id)
  const folder = join(host.folder, 'runs', `run-${id}`)
  const [header = '', ...lines] = readFileSync(join(folder, 'report.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
  const columns = header.split('\t')
  const rows = lines.map((line) =>
    Object.fromEntries(line.split('\t').map((cell, index) => [columns[index], cell])),
  )
  expect(rows[0]).toMatchObject({
    kind: 'RUN_START',
    message: expect.stringMatching(
      /^spec=specs\/shop\.md plan=specs\/planning\/shop-plan\.md iterations=6 model=/,
    ),
  })
  const ends = rows.filter(({ kind }) => kind === 'ITERATION_END' || kind === 'RUN_END')
  expect(ends.map((row) => [row['kind'], row['tasks_done'], row['tasks_total']])).toEqual([
    ['ITERATION_END', '1', '3'],
    ['ITERATION_END', '2', '3'],
    ['ITERATION_END', '3', '3'],
    ['RUN_END', '3', '3'],
  ])
  expect(
    rows
      .filter(({ kind }) => /COMPLETE/.test(kind ?? ''))
      .map((row) => [row['kind'], row['iteration'], row['message']]),
  ).toEqual([
    ['COMPLETE_DETECTED', '2', 'mode=trailing'],
    ['WARN_COMPLETE_WITH_PENDING', '2', 'pending=1'],
    ['COMPLETE_DETECTED', '3', 'mode=all(plan-complete, checks-pass)'],
  ])
  const summary: unknown = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'))
  expect(summary).toMatchObject({
    iterations_run: 3,
    completed_iteration: 3,
    exit_reason: 'complete_plan',
  })
  const files = readdirSync(folder)
  expect(files).toEqual(
    expect.arrayContaining(['iter-01-impl.log', 'iter-01-review.log', 'iter-01-review-prompt.txt']),
  )
}
