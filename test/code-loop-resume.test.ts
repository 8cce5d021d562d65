/** E2 for loops in TypeScript: killed with -9 and resumed, they end as if nothing had happened. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { fixtures, loopText, open, typeOf, writeLoop } from './code-loop-fixture.ts'
import { newFolder, newHost } from './host-fixture.ts'

const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** Writes a line for each step that runs; in the second iteration one waits until a file exists. */
const loopFile = (folder: string, hold: string): string =>
  loopText(
    `
    const log = (name: string) => appendFileSync(join(folder, 'log'), it.number + ' ' + name + '\\n')
    const first = await it.step('first', () => { log('first'); return it.number })
    const both = await it.parallel({
      left: (branch: any) => branch.step('left', async () => { log('left'); return 'l' }),
      right: (branch: any) => branch.step('right', () => { log('right'); return 'r' }),
    })
    await it.step('hold', async () => {
      log('hold')
      if (it.number === 2 && !existsSync(join(folder, 'go'))) { ${hold} }
      writeFileSync(join(it.workspace.path, 'file.txt'), 'iteration ' + it.number)
    })
    await it.step('last', () => log('last'))
    return [...(context.previous ?? []), first, both]
    `,
    '',
    `import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
     import { join } from 'node:path'
     const folder = ${JSON.stringify(folder)}`,
  ).replace('iterations: 1', 'iterations: 3')

const isGone = (pid: number): boolean =>
  !existsSync(`/proc/${pid}`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

test.each([
  ['waits', 'await new Promise(() => setInterval(() => undefined, 1000))'],
  ['spins', 'for (;;) {}'],
])(
  'E2: a loop that is killed while its step %s is resumed, and its process is gone',
  async (_name, hold) => {
    const [folder, record, workspace] = [newFolder(), newFolder(), newFolder()]
    const path = writeLoop({ 'loop.ts': loopFile(folder, hold) })
    const args = [join(fixtures, 'drive.mjs'), record, workspace, path]
    const driver = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    started.push(driver)
    let said = ''
    driver.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    while (!(said.includes('step 2 hold#1') && log(folder).includes('2 hold'))) await sleep(20)
    driver.kill('SIGKILL')
    const pid = Number(/^pid (\d+)/.exec(said)?.[1])
    while (!isGone(pid)) await sleep(20)

    writeFileSync(join(folder, 'go'), '')
    const loop = await open(path)
    const host = await newHost(record)
    const run = await host.resume('driven', typeOf(loop))
    expect(await run.done).toMatchObject({ type: 'ended' })
    const resumed = (await host.inspect('driven')).state

    const steps = ['first', 'left', 'right', 'hold', 'last']
    const expected = [1, 2, 3].flatMap((n) => steps.map((step) => `${n} ${step}`))
    expected.splice(expected.indexOf('2 hold'), 0, '2 hold')
    expect(log(folder)).toEqual(expected)
    const both = { left: 'l', right: 'r' }
    expect(resumed.progress).toEqual([1, both, 2, both, 3, both])

    const undisturbed = await host.start(typeOf(loop), {
      input: null,
      name: 'whole',
      workspace: newFolder(),
    })
    await undisturbed.done
    const whole = (await host.inspect('whole')).state
    expect(resumed.progress).toEqual(whole.progress)
    expect(resumed.tree).toBe(whole.tree)
    expect(resumed.outcome).toEqual(whole.outcome)
  },
)

const log = (folder: string): readonly string[] =>
  existsSync(join(folder, 'log'))
    ? readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
    : []

test('a run whose loop file changed in the middle of an iteration is refused, and continues when it is restored', async () => {
  const text = loopText(`
    await it.step('before', () => 1)
    await it.ask('go', { text: 'Go?', default: 'yes' })
    return 'old'`)
  const [old, changed] = [
    writeLoop({ 'loop.ts': text }),
    writeLoop({ 'loop.ts': text.replace("'old'", "'new'") }),
  ]
  const host = await newHost()
  const stop = new AbortController()
  const first = await open(old)
  const run = await host.start(typeOf(first), { input: null, name: 'changed', signal: stop.signal })
  for await (const { event } of run.events()) {
    if (event.type === 'step-started' && event.question !== undefined) stop.abort()
  }
  await host.answer('changed', 'go', 'yes', 'me')
  const refused = host.resume('changed', typeOf(await open(changed))).then((handle) => handle.done)
  await expect(refused).rejects.toMatchObject({ code: 'code-changed' })
  const resumed = await host.resume('changed', typeOf(await open(old)))
  await resumed.done
  expect((await host.inspect('changed')).state.progress).toBe('old')
})
