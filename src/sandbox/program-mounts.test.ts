import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { commandMounts, programMounts } from './program-mounts.ts'

let home: string
let cwd: string
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-home-')))
  cwd = join(home, 'work')
  await mkdir(cwd)
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function program(path: string): Promise<string> {
  const file = join(home, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '#!/bin/sh\n')
  await chmod(file, 0o755)
  return file
}

async function link(path: string, target: string): Promise<string> {
  const file = join(home, path)
  await mkdir(dirname(file), { recursive: true })
  await symlink(target, file)
  return file
}

const mountsOf = (name: string, path = `${home}/tools/bin:/usr/bin`): readonly string[] =>
  programMounts(name, { cwd, path, home, node: '/usr/bin/node' })

describe('what a program needs', () => {
  test('is the file alone, in a folder of many', async () => {
    const file = await program('tools/bin/agent')
    await program('tools/bin/other')
    expect(mountsOf('agent')).toEqual([file])
    expect(mountsOf('../tools/bin/agent')).toEqual([file])
    expect(mountsOf(file)).toEqual([file])
  })

  test('is the link and what it leads to', async () => {
    const file = await program('.local/share/agent/versions/2.1')
    const found = await link('tools/bin/agent', file)
    expect(mountsOf('agent')).toEqual([found, file])
  })

  test('is all packages that it was installed with', async () => {
    const modules = 'lib/node_modules'
    const file = await program(`${modules}/@scope/agent/bin/cli.js`)
    const found = await link('tools/bin/agent', file)
    await program(`${modules}/@scope/agent/node_modules/dep/index.js`)
    expect(mountsOf('agent')).toEqual([found, join(home, modules)])
    const store = await program('app/node_modules/.pnpm/a@1/node_modules/a/cli.js')
    const linked = await link('app/node_modules/.bin/a', store)
    expect(mountsOf('../app/node_modules/.bin/a')).toEqual([linked, join(home, 'app/node_modules')])
  })

  test('is also each file that its command names, and no folder', async () => {
    const script = await program('agents/mine.mjs')
    await program('notes/a.txt')
    const place = { cwd, path: '', home, node: '/usr/bin/node' }
    const command = ['/usr/bin/node', script, '../agents/mine.mjs', join(home, 'notes'), 'mine.mjs']
    expect(commandMounts(command, place)).toEqual([script])
  })

  test('is an environment of Python as a whole', async () => {
    const file = await program('venvs/agent/bin/agent')
    await writeFile(join(home, 'venvs/agent/pyvenv.cfg'), '')
    const found = await link('tools/bin/agent', file)
    expect(mountsOf('agent')).toEqual([found, join(home, 'venvs/agent')])
  })

  test('is nothing where it is shown already: the system, version managers, the workspace', async () => {
    expect(mountsOf('sh')).toEqual([])
    expect(mountsOf('/bin/sh')).toEqual([])
    await program('.cargo/bin/agent')
    expect(mountsOf('agent', `${home}/.cargo/bin`)).toEqual([])
    await program('work/node_modules/.bin/agent')
    expect(mountsOf('node_modules/.bin/agent')).toEqual([])
  })

  test('is only the part that is not shown', async () => {
    const file = await program('.bun/install/global/node_modules/agent/cli.js')
    await link('.bun/bin/agent', file)
    expect(mountsOf('agent', `${home}/.bun/bin`)).toEqual([])
  })

  test('is nothing for what is no program', async () => {
    await mkdir(join(home, 'tools/bin/folder'), { recursive: true })
    await writeFile(join(home, 'tools/bin/text'), '')
    await link('tools/bin/dangling', '/nonexistent/agent')
    for (const name of ['missing', 'folder', 'text', 'dangling', '', '.', '/', '/nonexistent/x']) {
      expect(mountsOf(name)).toEqual([])
    }
    await program('work/agent')
    expect(mountsOf('agent', '.:relative')).toEqual([])
  })
})

describe('a link in the workspace leads nowhere', () => {
  const place = () => ({ cwd, path: '/usr/bin', home, node: '/usr/bin/node' })
  const named = (...args: readonly string[]): readonly string[] =>
    commandMounts(['/usr/bin/node', ...args], place())

  test('from a file that the command names', async () => {
    const secret = await program('.ssh/id_rsa')
    await program('app/node_modules/a/cli.js')
    await link('work/agent.mjs', secret)
    await link('work/main.mjs', join(home, 'app/node_modules/a/cli.js'))
    await link('work/lib', join(home, '.ssh'))
    await link('work/twice', 'agent.mjs')
    expect(named('./agent.mjs', './main.mjs', 'lib/id_rsa', './twice')).toEqual([])
    expect(named(join(cwd, 'agent.mjs'), `../${basename(cwd)}/lib/id_rsa`)).toEqual([])
  })

  test('from the program, however it is named', async () => {
    const file = await program('private/agent')
    await link('work/agent', file)
    await link('work/bin', dirname(file))
    for (const name of ['./agent', 'bin/agent', join(cwd, 'agent')]) {
      expect(mountsOf(name)).toEqual([])
    }
    expect(mountsOf('agent', `${cwd}:${cwd}/bin`)).toEqual([])
  })

  test('by another name of the workspace, or from a link outside', async () => {
    const secret = await program('private/agent')
    await link('work/agent', secret)
    const alias = await link('alias', cwd)
    const outer = await link('bin/agent', join(cwd, 'agent'))
    expect(named(join(alias, 'agent'), outer)).toEqual([])
    expect(commandMounts(['./agent', './agent'], { ...place(), cwd: alias })).toEqual([])
    expect(mountsOf('agent', `${home}/bin`)).toEqual([])
  })

  test('so that a program is looked for further on', async () => {
    const file = await program('tools/bin/agent')
    await link('work/agent', await program('private/agent'))
    expect(mountsOf('agent', `${cwd}:${home}/tools/bin`)).toEqual([file])
  })
})

test('what lies in the workspace brings nothing with it that lies around it', async () => {
  await program('work/agent')
  await writeFile(join(home, 'pyvenv.cfg'), '')
  const outer = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-other-home-')))
  onTestFinished(() => rm(outer, { recursive: true, force: true }))
  expect(programMounts('./agent', { cwd, path: '', home: outer, node: '/usr/bin/node' })).toEqual(
    [],
  )
})

test('never the home, whatever is in it', async () => {
  const file = await program('bin/agent')
  await writeFile(join(home, 'pyvenv.cfg'), '')
  expect(mountsOf('agent', `${home}/bin`)).toEqual([file])
})
