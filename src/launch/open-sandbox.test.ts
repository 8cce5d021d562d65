import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SandboxSettings } from '../protocol/index.ts'
import type { OpenContext } from './open-context.ts'
import { openRunSandbox, partsOf } from './open-sandbox.ts'
import { type OpenedSandbox } from './opened-sandbox.ts'

let folder: string
let workspace: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-sandbox-')))
  workspace = join(folder, 'work')
  for (const path of [workspace, join(folder, 'record'), join(folder, 'run')]) mkdirSync(path)
  vi.stubEnv('XDG_RUNTIME_DIR', join(folder, 'run'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const plain: SandboxSettings = { readOnly: [], hide: [], network: [], limits: {} }

const open = (
  settings: Partial<SandboxSettings> = {},
  place: Partial<OpenContext> = {},
): Promise<OpenedSandbox> =>
  openRunSandbox(
    { settings: { ...plain, ...settings }, base: folder, workspace },
    { folder: join(folder, 'record'), ...place },
  )

const never = new AbortController().signal

async function listening(path: string): Promise<AsyncDisposable> {
  const server = createServer().listen(path)
  await once(server, 'listening')
  return { [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

async function run({ commands }: Pick<OpenedSandbox, 'commands'>, script: string): Promise<string> {
  const result = await commands.run({ program: 'sh', args: ['-c', script] }, never)
  return `${result.stdout}${result.stderr}`.trim()
}

describe('the sandbox of a run', () => {
  test('is as strong as possible, without a warning', async () => {
    const sandbox = await open()
    expect(sandbox.summary).toMatchObject({ tier: 'strong', attended: false })
    expect(sandbox.problems).toEqual([])
  })

  test('cannot include the program that creates it', async () => {
    workspace = fileURLToPath(new URL('../..', import.meta.url))
    await expect(open()).rejects.toMatchObject({ code: 'bad-request' })
  })

  test('reports paths that were to be hidden and do not exist', async () => {
    const { problems } = await open({ hide: ['.envv'] })
    expect(problems).toEqual([expect.stringContaining('.envv')])
  })

  test('may be disabled only in attended mode', async () => {
    await expect(open({ require: 'none' })).rejects.toMatchObject({
      code: 'not-available',
      message: expect.stringContaining('--attended'),
    })
    const sandbox = await open({ require: 'none' }, { attended: true })
    expect(sandbox.summary).toEqual({ tier: 'none', limits: 'none', attended: true })
    expect(sandbox.problems).toHaveLength(1)
    const { url } = sandbox.agentCommands(['sh'], '/nonexistent/model.sock')
    expect(url).toBeUndefined()
  })

  test('is refused before there is a run if the workspace contains more than the work', async () => {
    workspace = dirname(homedir())
    await expect(open()).rejects.toMatchObject({ code: 'bad-request' })
  })

  test('may contain a folder that does not exist yet', async () => {
    rmSync(workspace, { recursive: true })
    const sandbox = await open()
    mkdirSync(workspace)
    expect(await run(sandbox, 'echo x > y; cat y')).toBe('x')
  })
})

describe('inside the sandbox', () => {
  test('protected files can be read; the state folder and hidden files are empty', async () => {
    const record = join(workspace, 'record')
    mkdirSync(record)
    for (const name of ['loop.yaml', '.env', 'record/journal.db']) {
      writeFileSync(join(workspace, name), name)
    }
    const excludedPaths = [join(workspace, 'loop.yaml'), join(folder, 'elsewhere.yaml')]
    const sandbox = await open({ hide: ['.env', 'not-there'] }, { folder: record, excludedPaths })
    expect(await run(sandbox, 'cat loop.yaml .env; ls record')).toBe('loop.yaml')
    for (const name of ['loop.yaml', '.env', 'record/new']) {
      expect(await run(sandbox, `(echo x >> ${name}) 2>&1`)).toMatch(/Read-only|Permission denied/)
    }
  })

  test('tools know what is kept from commands, at any time', async () => {
    const record = join(workspace, 'record')
    mkdirSync(record)
    mkdirSync(join(workspace, '.git'))
    const [file, config] = [join(workspace, 'loop.yaml'), join(workspace, '.git/config')]
    writeFileSync(file, '')
    const sandbox = await open({ hide: ['.env'] }, { folder: record, excludedPaths: [file] })
    expect(sandbox.protects()).toEqual({
      hidden: [join(workspace, '.env'), record],
      readOnly: [file, join(workspace, '.git')],
    })
    writeFileSync(config, '[remote "origin"]\n\turl = https://me:word@example.test/x.git\n')
    expect(sandbox.protects().hidden).toContain(config)
  })

  test('files that could instruct an agent are hidden from the agent only', async () => {
    mkdirSync(join(workspace, '.toy'))
    for (const name of ['.toy/settings', 'toy.json']) writeFileSync(join(workspace, name), name)
    const socket = join(folder, 'run/model.sock')
    await using _ = await listening(socket)
    const sandbox = await open()
    const script = 'cat toy.json; ls .toy'
    const agent = sandbox.agentCommands(['sh'], socket, {
      hides: ['.toy', 'toy.json', 'not-there'],
    })
    expect(await run(agent, script)).toBe('')
    expect(await run(sandbox, script)).toBe('toy.jsonsettings')
  })

  test.each(['src', '.', '/etc', 'not-there'])(
    'a file that could instruct an agent is refused as a symlink to %s',
    async (target) => {
      mkdirSync(join(workspace, 'src'))
      symlinkSync(target, join(workspace, '.toy'))
      const sandbox = await open()
      expect(() =>
        sandbox.agentCommands(['sh'], '/nonexistent/model.sock', { hides: ['.toy'] }),
      ).toThrow(/^\.toy in .* is a symlink to .*Remove the symlink/)
    },
  )

  test('hidden files stay hidden in the checkout after an agent removes the symlink to them', async () => {
    const checkout = join(folder, 'checkout')
    mkdirSync(join(checkout, 'linked'), { recursive: true })
    for (const name of ['.env', 'linked/key', 'linked/seen']) {
      writeFileSync(join(checkout, name), name)
    }
    for (const name of ['.env', 'linked']) {
      symlinkSync(join(checkout, name), join(workspace, name))
    }
    const readOnly = [join(checkout, '.env'), join(checkout, 'linked')]
    const sandbox = await open({ hide: ['.env', 'linked/key'] }, { checkout, readOnly })
    const script = `cat .env; cat ${checkout}/.env; cat ${checkout}/linked/*; rm -f .env linked`
    const [first, second] = [await run(sandbox, script), await run(sandbox, script)]
    for (const seen of [first, second]) {
      expect(seen).toContain('linked/seen')
      expect(seen).not.toContain('linked/key')
      expect(seen).toContain(`${checkout}/.env: No such file`)
    }
    const again = await open({ hide: ['.env', 'linked/key'] }, { checkout, readOnly })
    expect(await run(again, script)).toBe(second)
  })

  test('files that are hidden twice, or inside a hidden folder, are hidden', async () => {
    mkdirSync(join(workspace, '.git'))
    mkdirSync(join(workspace, 'own'))
    for (const name of ['own/a.env', 'b.env']) writeFileSync(join(workspace, name), name)
    writeFileSync(join(workspace, '.git/config'), '[http]\n\textraheader = word\n')
    symlinkSync('b.env', join(workspace, '.env'))
    const hide = ['own/a.env', 'own', '.env', 'b.env', '.git/config']
    expect(await run(await open({ hide }), 'cat .env b.env .git/config; ls own')).toBe('')
    expect(await run(await open({ hide: [...hide, '.git'] }), 'ls .git own')).toBe('.git:\n\nown:')
  })

  test('the first target of a symlink stays protected after an agent swaps the symlink', async () => {
    mkdirSync(join(workspace, 'own'))
    for (const name of ['a.env', 'loop.yaml']) writeFileSync(join(workspace, 'own', name), name)
    symlinkSync('own/a.env', join(workspace, '.env'))
    symlinkSync('own/loop.yaml', join(workspace, 'loop.yaml'))
    const excludedPaths = [join(workspace, 'loop.yaml')]
    const sandbox = await open({ hide: ['.env'] }, { excludedPaths })
    expect(await run(sandbox, 'cat .env; rm .env loop.yaml; ln -s /etc/passwd .env; ls')).toBe(
      'own',
    )
    expect(await run(sandbox, 'cat own/a.env')).toBe('')
    expect(await run(sandbox, 'echo x > own/loop.yaml')).toContain('Read-only')
    expect(sandbox.protects()).toMatchObject({
      hidden: expect.arrayContaining([join(workspace, 'own/a.env')]),
      readOnly: [join(workspace, 'own/loop.yaml')],
    })
  })

  test('more can be read if the loop file says so, and it must exist', async () => {
    mkdirSync(join(folder, 'shared'))
    writeFileSync(join(folder, 'shared/a.txt'), 'shared')
    const sandbox = await open({ readOnly: ['shared'] })
    expect(await run(sandbox, `cat ${folder}/shared/a.txt`)).toBe('shared')
    expect(await run(await open(), `cat ${folder}/shared/a.txt`)).toContain('No such file')
    await expect(open({ readOnly: ['missing'] })).rejects.toMatchObject({
      code: 'not-configured',
      message: expect.stringContaining(join(folder, 'missing')),
    })
  })

  test('hosts are reached through a proxy that closes with the sandbox, but not in a replay', async () => {
    const network = ['registry.example.test:443']
    const sandbox = await open({ network })
    expect(await run(sandbox, 'echo $HTTPS_PROXY')).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(readdirSync(join(folder, 'run'))).toHaveLength(1)
    await sandbox.close()
    expect(readdirSync(join(folder, 'run'))).toEqual([])
    const offline = await open({ network }, { replay: () => undefined })
    expect(offline.problems).toEqual([expect.stringContaining('registry.example.test:443')])
    expect(await run(offline, 'echo $HTTPS_PROXY')).toBe('')
  })
})

test('finds the paths that are in the workspace, wherever symlinks point', () => {
  const inner = join(workspace, 'a/b.txt')
  mkdirSync(join(workspace, 'a'))
  writeFileSync(inner, '')
  symlinkSync(workspace, join(folder, 'link'))
  symlinkSync(inner, join(folder, 'way-in.txt'))
  const paths = ['link/a/b.txt', 'way-in.txt', 'record', 'missing', 'work'].map((path) =>
    join(folder, path),
  )
  expect(partsOf(workspace, paths)).toEqual([inner, inner])
  expect(partsOf(join(folder, 'none'), paths)).toEqual([])
})
