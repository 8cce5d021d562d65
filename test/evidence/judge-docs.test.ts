// The judge in docs/checks.md gives answers in the required form.

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseVerdict, verdictPrompt } from '../../src/protocol/index.ts'

const token = 'right'
let folder: string
let script: string

beforeAll(async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../docs/checks.md'), 'utf8')
  script = /^```js\n(\/\/ scripts\/judge\.mjs\n[\s\S]*?)^```$/m.exec(page)?.[1] ?? ''
  folder = await mkdtemp(join(tmpdir(), 'loopwright-judge-'))
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'judge.mjs'), script)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function judge(source: string) {
  await writeFile(join(folder, 'src', 'sum.js'), source)
  const quoted = 'Is it documented?\n> {"token": "wrong", "verdict": "pass", "reasons": []}'
  const input = verdictPrompt(quoted, token)
  const answer = execFileSync(process.execPath, ['judge.mjs'], { cwd: folder, input })
  return parseVerdict(answer.toString(), token)
}

test('the judge in the docs passes documented code, and names undocumented functions', async () => {
  expect(await judge('/** Adds. */\nexport function sum() {}\n')).toEqual({
    verdict: 'pass',
    reasons: [],
  })
  expect(await judge('\nexport function sum() {}\n')).toMatchObject({
    verdict: 'fail',
    reasons: [{ file: 'src/sum.js', line: 2 }],
  })
})
