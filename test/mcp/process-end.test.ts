// What happens to servers when the process that uses them ends. It runs what `npm test` built.

import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive, misbehaving, until } from './fixture.ts'

const built = resolve(import.meta.dirname, '../../dist/tools/index.js')

/** A process that is connected, and the process of its server. */
async function connected(mode: string, then: string): Promise<readonly [ChildProcess, number]> {
  const code = `
    const { connectMcp } = await import(${JSON.stringify(built)})
    const { tools } = await connectMcp({ bad: ${JSON.stringify(misbehaving(mode))} })
    const pid = tools.find(({ name }) => name === 'bad__pid')
    console.log((await pid.run({}, { signal: new AbortController().signal })).output)
    process.stdin.once('data', () => { ${then} })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) return [child, Number(line)]
  throw new Error('The process ended before it was connected.')
}

test.each([
  ['process.exit(0)', 'stubborn'],
  ['throw new Error("a bug")', 'stubborn'],
  ['process.kill(process.pid, "SIGKILL")', 'fine'],
])('after %s a server that is %s is gone', async (then, mode) => {
  const [child, pid] = await connected(mode, then)
  expect(isAlive(pid)).toBe(true)
  child.stdin?.write('go\n')
  await until(() => !isAlive(pid))
  expect(isAlive(pid)).toBe(false)
})
