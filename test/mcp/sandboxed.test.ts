// MCP servers inside a sandbox: the same tools, and a server that can touch only the workspace.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { StartProcess } from '../../src/engine/index.ts'
import { openSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import type { McpServer } from '../../src/tools/index.ts'
import { newFolder, newTag, taggedProcesses, until } from '../sandbox/fixture.ts'
import { connect, filesystem, misbehaving, parsed } from './fixture.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await openSandbox({ requireTier: 'strong' })
})

/** As the host does it. */
const startIn =
  (workspace: string, readOnly: readonly string[]): StartProcess =>
  (command) =>
    sandbox.start({ workspace, readOnly }, command)

const filesOf = (server: McpServer): readonly string[] =>
  'command' in server ? server.command.filter((part) => part.endsWith('.mjs')) : []

test('a sandboxed server answers, and works in the workspace', async () => {
  const workspace = await newFolder()
  const server = filesystem(workspace)
  const program = 'command' in server ? (server.command[1] ?? '') : ''
  const modules = program.slice(0, program.indexOf('/node_modules/') + '/node_modules'.length)
  const { call, problems } = await connect(
    { files: server },
    { startServer: startIn(workspace, [modules]) },
  )
  expect(problems).toEqual([])
  const path = join(workspace, 'note.txt')
  expect(await call('files__write_file', { path, content: 'hello' })).toMatchObject({ ok: true })
  expect(await readFile(path, 'utf8')).toBe('hello')
})

test('it has the configured variables, and none of ours', async () => {
  const workspace = await newFolder()
  const { command } = misbehaving() as { command: readonly string[] }
  const bad = { command, env: { GIVEN: 'y' } }
  const environment = { PATH: process.env['PATH'], SECRET: 'x' }
  const startServer = startIn(workspace, filesOf(bad))
  const { call } = await connect({ bad }, { startServer, environment })
  const found = parsed(await call('bad__environment'))
  expect(found).toMatchObject({ GIVEN: 'y', HOME: '/home/agent', PWD: workspace })
  expect(found).not.toHaveProperty('SECRET')
})

test('no process is alive after closing, or after a call that kills it', async () => {
  const workspace = await newFolder()
  const TAG = newTag()
  const { command } = misbehaving('stubborn') as { command: readonly string[] }
  const bad = { command, env: { TAG } }
  const startServer = startIn(workspace, filesOf(bad))
  const { call, close } = await connect({ bad }, { startServer })
  await call('bad__child')
  await call('bad__near-child')
  expect(taggedProcesses(TAG).length).toBeGreaterThanOrEqual(3)
  await call('bad__die')
  await until(() => taggedProcesses(TAG).length === 0)
  await call('bad__child')
  expect(taggedProcesses(TAG).length).toBeGreaterThanOrEqual(2)
  await close()
  expect(taggedProcesses(TAG)).toEqual([])
})

test('a missing program, and one that cannot be started, are problems', async () => {
  const workspace = await newFolder()
  const missing = { missing: { command: ['no-such-server'] } }
  const inSandbox = await connect(missing, { startServer: startIn(workspace, []) })
  expect(inSandbox.problems).toEqual([
    { server: 'missing', message: expect.stringContaining('cannot start no-such-server') },
  ])
  const refusing: StartProcess = () => {
    throw new Error('there is no sandbox')
  }
  const refused = await connect(missing, { startServer: refusing })
  expect(refused.problems).toEqual([
    { server: 'missing', message: expect.stringContaining('there is no sandbox') },
  ])
})
