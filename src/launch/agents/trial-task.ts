/** The task of an agent's trial: one file, one defect, one failing test. */

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder, readSmallFile } from '../../system/index.ts'
import { createRepository } from '../../workspace/index.ts'

const source = `/** The sum of all numbers in a list. */
export function sum(numbers) {
  let total = 0
  for (let index = 1; index < numbers.length; index++) total += numbers[index]
  return total
}
`

const tests = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from './sum.js'

test('nothing adds up to 0', () => assert.equal(sum([]), 0))
test('one number is its own sum', () => assert.equal(sum([7]), 7))
test('all numbers count', () => assert.equal(sum([1, 2, 3]), 6))
test('negative ones too', () => assert.equal(sum([-1, 4]), 3))
`

const prompt = `The tests in this folder fail. Run them with: node --test
Find the fault in sum.js and correct it in that file. Do not change sum.test.js.

{{ progress }}`

export const trialLimits = { iterations: 2, tokens: 400_000, cost: 0.5, time: '5m' } as const

export interface TrialTask {
  /** The loop file. */
  readonly file: string
  readonly workspace: string
  /** Whether the file with the defect has changed. */
  isChanged(): Promise<boolean>
  remove(): Promise<void>
}

/** `agent`: the setting for a loop file. */
export async function createTask(agent: unknown): Promise<TrialTask> {
  const folder = await makeTemporaryFolder('loopwright-agent-test-')
  const workspace = join(folder, 'project')
  await mkdir(workspace)
  await writeFile(join(workspace, 'package.json'), '{ "type": "module", "private": true }\n')
  await writeFile(join(workspace, 'sum.js'), source)
  await writeFile(join(workspace, 'sum.test.js'), tests)
  // Without git, a plain folder is enough.
  await createRepository(workspace).catch(() => undefined)
  const file = join(folder, 'agent-test.yaml')
  const loop = {
    prompt,
    agent,
    workspace: './project',
    checks: { test: ['node', '--test'] },
    until: [{ type: 'checks-pass' }],
    limits: trialLimits,
  }
  await writeFile(file, JSON.stringify(loop, null, 2))
  return {
    file,
    workspace,
    isChanged: async () => (await readSource(workspace)) !== source,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The agent may have replaced it by anything. */
const readSource = (workspace: string): Promise<string> =>
  readSmallFile(join(workspace, 'sum.js'), 64 * 1024).catch(() => '')
