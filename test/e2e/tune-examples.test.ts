// The examples of tuning, each as a user runs it: real commands in the real sandbox, human choices from a file. `npm test` plays a few
// cases of each, the proof all of them.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startModel } from '../../examples/tune/ticket-prompt/model.mjs'
import { afterFile } from '../after.ts'
import { inProof, isWhole } from '../share.ts'
import { ctlWith } from './loop-fixture.ts'

const examples = new URL('../../examples/tune/', import.meta.url).pathname

interface Played {
  readonly work: string
  readonly printed: string
  readonly debrief: string
  readonly log: string
  readonly costMicros: number
}

/** With these cases only, unless all of it runs. */
async function play(
  name: string,
  few: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-tune-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(examples, name), folder, { recursive: true })
  const work = join(folder, 'workload')
  if (!isWhole) makeSmall(work, few)
  const at = { state: join(folder, 'state'), work, file: join(folder, 'loop.yaml') }
  const args = ['run', at.file, '--trust', '--no-input', '--input', 'answers=answers.txt']
  const { stdout, stderr } = await ctlWith(at, env, ...args)
  const runs = join(work, 'logs', 'loop')
  const [run = ''] = readdirSync(runs)
  const read = (file: string): string => readFileSync(join(runs, run, file), 'utf8')
  const found = await ctlWith(at, env, '--json', 'inspect', run.slice('run-'.length))
  const { state } = JSON.parse(found.stdout) as {
    readonly state: { readonly spent: { readonly costMicros: number } }
  }
  return {
    work,
    printed: stdout + stderr,
    debrief: read('LOOP.md'),
    log: read('LOOP_LOG.md'),
    costMicros: state.spent.costMicros,
  }
}

function makeSmall(work: string, few: readonly string[]): void {
  const path = join(work, 'loop.manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as object
  const small = { casePaths: few, maxIterations: 1, repeats: { baseline: 2, proof: 2 }, split: {} }
  writeFileSync(path, JSON.stringify({ ...manifest, ...small }))
  const loop = join(work, '..', 'loop.yaml')
  writeFileSync(loop, readFileSync(loop, 'utf8').replace(/passes: \d+/, 'passes: 4'))
}

test('rules that read invoices become better, and are proven on fresh runs', async () => {
  const cases = ['cases/eden.txt', 'cases/quay.txt', 'cases/zinc.txt']
  const { work, debrief, log, printed } = await play('invoice-rules', cases)
  expect(printed).toMatch(/completed: (converged|max-iterations)/)
  expect(debrief).toContain('Improved on this suite: +')
  expect(debrief).toContain('Flaky: none.')
  expect(debrief).toContain('The files: changed.')
  expect(readFileSync(join(work, 'rules.txt'), 'utf8')).toContain('CASE any')
  // Every choice of the file is in the log, as that of a person.
  expect(log).toContain('the answers file')
}, 900_000)

test.each(inProof)(
  'packing becomes better although its scores vary: %s',
  async () => {
    const { work, debrief } = await play('packing', [
      'cases/checkout.log.txt',
      'cases/services.ini',
      'cases/orders-may.csv',
    ])
    expect(debrief).toContain('Improved on this suite: +')
    expect(JSON.parse(readFileSync(join(work, 'config.json'), 'utf8'))).not.toMatchObject({
      strategy: 'huffman',
      codec: 'gzip',
    })
  },
  900_000,
)

test.each(inProof)(
  'a prompt becomes better for a noisy model behind the gateway, which meters what it costs: %s',
  async () => {
    const model = await startModel()
    try {
      const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted' }
      const cases = ['cases/dark.txt', 'cases/merge.txt', 'cases/refund.txt']
      const { work, debrief, costMicros } = await play('ticket-prompt', cases, env)
      expect(debrief).toMatch(
        isWhole
          ? /Improved on this suite: \+/
          : /(Improved on this suite|Kept, not proven|Nothing was kept)/,
      )
      expect(costMicros).toBeGreaterThan(0)
      expect(readFileSync(join(work, 'prompt.md'), 'utf8')).toContain('Labels:')
    } finally {
      model.close()
    }
  },
  900_000,
)
