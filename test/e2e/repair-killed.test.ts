// The repair agent, killed while it works: its unfinished edits are gone, and the next process
// finishes the repair.

import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-repair-kill-'))
  await cp(resolve('examples/mend-duration/project'), join(folder, 'project'), { recursive: true })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const drive = resolve('test/e2e/drive-repair.mjs')

/** Its output, until it ends or prints a line that it is killed at. */
function run(killAt?: RegExp): Promise<string> {
  return new Promise((done) => {
    const child: ChildProcess = spawn(process.execPath, [drive, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (killAt?.test(said) === true) child.kill('SIGKILL')
    })
    child.on('close', () => done(said))
  })
}

test.each([
  ['before it has tried anything', /Suspected first/],
  ['when its edit is in the file and not yet judged', /Found: /],
])('killed %s, it starts again from the original files', async (_when, killAt) => {
  const killed = await run(killAt)
  expect(killed).not.toContain('completed')
  const said = await run()
  expect(said).toContain('completed')
  const text = await readFile(join(folder, 'project/src/format.js'), 'utf8')
  const original = await readFile(resolve('examples/mend-duration/project/src/format.js'), 'utf8')
  expect(text).toBe(original.replace('rest > unit.ms', 'rest >= unit.ms'))
})
