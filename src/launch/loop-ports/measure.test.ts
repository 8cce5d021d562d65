import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlainCommands } from '../../sandbox/index.ts'
import { createMeasure } from './measure.ts'

let workspace: string
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-measure-')))
  writeFileSync(join(workspace, 'a.txt'), 'abc')
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

const run = (command: string) =>
  createMeasure({ commandsFor: () => createPlainCommands() }, workspace)(
    { command, timeoutMs: 20_000, iteration: 7, spec: 'specs/shop.md' },
    new AbortController().signal,
  )

test('the command works in the workspace, and what it wrote comes back', async () => {
  const command = `echo "{\\"bytes\\": $(wc -c < a.txt), \\"n\\": $LOOP_ITERATION, \\"spec\\": \\"$LOOP_SPEC_PATH\\"}" > "$LOOP_METRICS_OUT"; echo printed; test -d "$LOOP_RUN_DIR"`
  const { exitCode, metrics = '', output } = await run(command)
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: 'printed\n' })
  expect(JSON.parse(metrics)).toEqual({ bytes: 3, n: 7, spec: join(workspace, 'specs/shop.md') })
})

test('a command that fails or writes nothing is a result, too', async () => {
  expect(await run('exit 3')).toMatchObject({ exitCode: 3, metrics: '' })
})
