// The commands in docs/api.md work as written.

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { operations } from '../../src/daemon/index.ts'
import { firstAfterStory } from '../after.ts'
import { newFolder } from '../host-fixture.ts'
import { startDaemon } from './start-daemon.ts'

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(page) ?? []

test('a session with curl: inspects a loop file, trusts it, runs it and follows it to its end', async () => {
  const home = newFolder()
  const state = join(home, '.local/share/loopd')
  const daemon = await startDaemon({ state })
  firstAfterStory(() => daemon.stop())
  const folder = join(home, 'shop')
  mkdirSync(folder)
  const agent = '{ script: [[{ call: write, args: { path: a.txt, content: a } }]] }'
  const text = `prompt: Write a.txt.\nagent: ${agent}\nchecks: { there: test -s a.txt }\n`
  writeFileSync(join(folder, 'loop.yaml'), text)
  const { stdout, stderr } = await promisify(execFile)('bash', ['-e', '-c', block], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    timeout: 60_000,
  })
  expect(stderr).toBe('')
  expect(stdout).toContain('{"status":"ok"}')
  expect(stdout).toContain('"trusted":false')
  expect(stdout).toContain('event: run-ended\n')
  expect(stdout).toMatch(/"name":"calm-otters-sing".*"status":"completed"/)
})

test('the page names every path', () => {
  const table = page.slice(page.indexOf('## Routes'), page.indexOf('## Conventions'))
  const missing = operations.filter(({ path }) => {
    const [last = ''] = path.split(/(?<=\})\/|^\/(?!runs\/)/).slice(-1)
    return !table.includes(last)
  })
  expect(missing.map(({ path }) => path)).toEqual([])
})
