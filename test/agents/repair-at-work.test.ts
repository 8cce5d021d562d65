// The repair agent in a loop: no model, a real project, its own command as the check; also in a
// sandbox, and continued after another process stopped.

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { repairAgent } from '../../src/agents/repair/repair-agent.ts'
import type { Commands } from '../../src/engine/index.ts'
import { commandCheck, createPlainCommands, openHost, plainLoop } from '../../src/host/index.ts'
import { openSandbox } from '../../src/sandbox/index.ts'

let folder: string
let workspace: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-repair-loop-'))
  workspace = join(folder, 'project')
  await cp(resolve('examples/mend-duration/project'), workspace, { recursive: true })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const check = ['node', '--test'] as const
const loop = plainLoop({
  prompt: 'Make the checks pass.\n{{ progress }}',
  until: [{ type: 'checks-pass' }],
})

type CommandsIn = (folder: string) => Commands

async function run(commandsIn: CommandsIn, candidatesMax: number): Promise<readonly string[]> {
  const commands = commandsIn(workspace)
  const agents = createAgents({
    maker: repairAgent({ checks: [[...check]], commands, candidatesMax, timeMs: 120_000 }),
  })
  const checks = { test: commandCheck('node', ['--test'], { commands: commandsIn }) }
  const host = await openHost({ folder: join(folder, 'state') })
  try {
    const handle = await host.start(loop, {
      input: {},
      workspace,
      agents,
      checks,
      limits: { iterations: 30 },
    })
    const texts: string[] = []
    for await (const { event } of handle.events()) {
      if (event.type === 'step-noted' && event.note.type === 'said') texts.push(event.note.text)
    }
    expect(await handle.done).toMatchObject({ type: 'ended', outcome: { type: 'completed' } })
    return texts
  } finally {
    await host.close()
  }
}

const fixedLine = 'if (rest >= unit.ms)'

test('the example is fixed by one edit, which the check confirms', async () => {
  const said = await run(() => createPlainCommands(), 3000)
  expect(await readFile(join(workspace, 'src/format.js'), 'utf8')).toContain(fixedLine)
  expect(said.join('\n')).toContain('Suspected first: src/format.js')
})

test('it does the same in a sandbox', async () => {
  const sandbox = await openSandbox()
  await run((at) => sandbox.commands({ workspace: at }), 3000)
  expect(await readFile(join(workspace, 'src/format.js'), 'utf8')).toContain(fixedLine)
})

test('what one iteration does not reach, the next ones do', async () => {
  const good = await readFile(join(workspace, 'src/parse.js'), 'utf8')
  await writeFile(join(workspace, 'src/parse.js'), good.replace('Number(count)', 'Number(name)'))
  const format = join(workspace, 'src/format.js')
  await writeFile(format, (await readFile(format, 'utf8')).replace('rest > unit', 'rest >= unit'))
  const said = await run(() => createPlainCommands(), 120)
  expect(await readFile(join(workspace, 'src/parse.js'), 'utf8')).toBe(good)
  const places = said.flatMap((text) => /continues at edit (\d+)/.exec(text)?.[1] ?? [])
  expect(places.length).toBeGreaterThan(0)
  expect(places).toEqual(places.map((_, index) => String(120 * (index + 1) + 1)))
})
