/** `npm start` a second time, without a daemon, and with a named demo. */

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const run = promisify(execFile)
const root = new URL('../..', import.meta.url).pathname
const state = mkdtempSync(join(tmpdir(), 'loopwright-start-'))
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: state,
  LOOPWRIGHT_STATE: state,
  LOOP_USE_DAEMON: '0',
}
const start = join(root, 'build/examples/start.js')

afterAll(() => rmSync(state, { recursive: true, force: true }))

test('npm start fixes a project again, without a daemon and without a key', async () => {
  for (const number of [1, 2]) {
    const { stdout } = await run(process.execPath, [start], { env })
    expect(stdout).toContain(`mend-duration-${number}`)
    expect(stdout).toContain('✓ completed: checks-pass')
    expect(stdout).not.toContain('The daemon has stopped.')
    expect(stdout).not.toContain('loopctl demo --agent')
    expect(existsSync(join(state, 'daemon', 'daemon.json'))).toBe(false)
  }
})

test('npm start -- fix-sum runs a loop file to a passing check', async () => {
  const { stdout } = await run(process.execPath, [start, 'fix-sum'], { env })
  expect(stdout).toMatch(/check test +✗ not-met/)
  expect(stdout).toContain('✓ completed: checks-pass')
})
