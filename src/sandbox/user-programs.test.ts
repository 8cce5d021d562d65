import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findProgram } from './find-program.ts'
import { thisMachine } from './find-tier.ts'
import { openSandbox } from './open-sandbox.ts'
import { findToolchains, isWithin } from './toolchains.ts'
import { findUserPrograms } from './user-programs.ts'

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-home-')))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function put(path: string, text = `#!/bin/sh\necho ${path}\n`): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
  return file
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  symlinkSync(target, join(home, path))
}

const pathOf = (...folders: string[]): string =>
  [...folders.map((folder) => join(home, folder)), '/usr/bin', '/bin'].join(':')
const shows = (path: string, file: string): boolean =>
  findUserPrograms({ home, path }).mounts.some((mount) => isWithin(join(home, file), mount))

/** Creates the layout of each tool on disk, and returns a PATH with their folders. */
function installEverything(): string {
  put('.local/bin/plain')
  put('.local/share/pipx/venvs/black/pyvenv.cfg', '')
  put('.local/share/pipx/venvs/black/bin/black')
  link('.local/bin/black', join(home, '.local/share/pipx/venvs/black/bin/black'))
  put('.local/share/uv/tools/ruff/bin/ruff')
  link('.local/bin/ruff', '../share/uv/tools/ruff/bin/ruff')
  put('.local/share/pnpm/global/5/node_modules/tsx/cli.js')
  put(
    '.local/share/pnpm/tsx',
    '#!/bin/sh\nexec sh "$(dirname "$0")/global/5/node_modules/tsx/cli.js"\n',
  )
  put('.npm-global/lib/node_modules/eslint/bin.js')
  put('.npm-global/etc/npmrc', '//registry/:_authToken=secret\n')
  link('.npm-global/bin/eslint', '../lib/node_modules/eslint/bin.js')
  put('.nvm/versions/node/v20.1.0/bin/nvm-node')
  put('.nvm/versions/node/v20.1.0/etc/npmrc', '//registry/:_authToken=secret\n')
  put('.volta/bin/volta-node', '#!/bin/sh\nexit 1\n')
  put('.volta/tools/user/platform.json', '{"node":{"runtime":"20.2.0"},"yarn":null}')
  put('.volta/tools/image/node/20.2.0/bin/volta-node')
  put('.local/share/mise/shims/mise-go', '#!/bin/sh\nexit 1\n')
  put('.local/share/mise/installs/go/1.22.0/bin/mise-go')
  link('.local/share/mise/installs/go/latest', './1.22.0')
  put('.local/share/fnm/node-versions/v20/installation/bin/fnm-node')
  link('multishell', join(home, '.local/share/fnm/node-versions/v20/installation'))
  put('.asdf/shims/asdf-tool')
  put('.bun/install/global/node_modules/bunny/cli.js')
  link('.bun/bin/bunny', '../install/global/node_modules/bunny/cli.js')
  put('.deno/bin/deno-tool')
  put('.cargo/bin/cargo-tool')
  put('.cargo/credentials.toml', 'token')
  put('go/bin/go-tool')
  return pathOf(
    '.local/bin',
    '.local/share/pnpm',
    '.npm-global/bin',
    '.nvm/versions/node/v20.1.0/bin',
    '.volta/bin',
    '.local/share/mise/shims',
    'multishell/bin',
    '.asdf/shims',
    '.bun/bin',
    '.deno/bin',
    '.cargo/bin',
    'go/bin',
  )
}

const tools = [
  'plain',
  'black',
  'ruff',
  'tsx',
  'eslint',
  'nvm-node',
  'volta-node',
  'mise-go',
  'fnm-node',
  'asdf-tool',
  'bunny',
  'deno-tool',
  'cargo-tool',
  'go-tool',
]

describe('programs that a user installed', () => {
  test('run inside, read-only, and credentials beside them are hidden', async () => {
    const path = installEverything()
    const secrets = [
      '.cargo/credentials.toml',
      '.npm-global/etc/npmrc',
      '.nvm/versions/node/v20.1.0/etc/npmrc',
    ].map((file) => join(home, file))
    const node = process.execPath
    const toolchains = findToolchains({ home, path, node })
    const { findToolchains: _default, ...machine } = thisMachine()
    const sandbox = await openSandbox({ machine: { ...machine, toolchains } })
    if (sandbox.report.tier !== 'strong') return
    const workspace = join(home, 'work')
    mkdirSync(workspace)
    const script = [
      ...tools.map((name) => `${name} > /dev/null || echo cannot run ${name}`),
      ...secrets.map((file) => `test ! -s ${file} || echo can read ${file}`),
      `! touch ${home}/.local/bin/x 2>/dev/null || echo can write`,
    ].join('\n')
    const { stdout } = await sandbox
      .commands({ workspace })
      .run({ program: '/bin/sh', args: ['-c', script] }, AbortSignal.timeout(20_000))
    expect(stdout).toBe('')
  })

  test('are found on this machine', () => {
    const path = process.env['PATH'] ?? ''
    const { mounts } = findUserPrograms({ home: homedir(), path })
    for (const name of ['pyenv', 'cargo']) {
      const found = findProgram(name, path)
      if (found === undefined || !isWithin(found, homedir())) continue
      expect(mounts.some((mount) => isWithin(found, mount))).toBe(true)
    }
  })
})

describe('never shown, even if it is on the PATH:', () => {
  test.each([
    ['the home directory', '.', 'secret'],
    ['the parent of a program folder', '.cargo', '.cargo/credentials.toml'],
    ['a folder with credentials', '.config', '.config/gh/hosts.yml'],
    ['a subfolder of a folder with credentials', '.docker/bin', '.docker/bin/tool'],
    ['a program folder that contains a credential', '.tools/bin', '.tools/bin/.npmrc'],
    ['a folder of a project', 'code/app/bin', 'code/app/bin/tool'],
    ['packages of a project', '.app/node_modules/.bin', '.app/node_modules/.bin/tool'],
  ])('%s', (_case, folder, file) => {
    put(file)
    mkdirSync(join(home, folder), { recursive: true })
    expect(shows(pathOf(folder), file)).toBe(false)
  })

  test('a symlink target in a program folder that is a folder or a credential', () => {
    put('.ssh/id_rsa')
    put('private/notes')
    link('.local/bin/everything', home)
    link('.local/bin/key', join(home, '.ssh/id_rsa'))
    const path = pathOf('.local/bin')
    expect(shows(path, '.ssh/id_rsa')).toBe(false)
    expect(shows(path, 'private/notes')).toBe(false)
  })

  test('(the reason is reported)', () => {
    put('.tools/bin/.env')
    const { leftOut } = findUserPrograms({ home, path: pathOf('.tools/bin') })
    expect(leftOut).toEqual([
      { path: join(home, '.tools/bin'), why: 'it holds .env, which may be a credential' },
    ])
  })
})

test.each([
  '.pyenv/versions/3.12.1/pip.conf',
  '.local/share/pipx/venvs/black/pip.conf',
  '.local/share/uv/tools/ruff/uv-receipt.toml',
  '.local/share/pnpm/.npmrc',
  '.asdf/installs/nodejs/20.1.0/etc/npmrc',
])('config files that may contain a password are hidden: %s', (file) => {
  const path = put(file, 'https://user:secret@registry/\n')
  const { mounts, hide } = findUserPrograms({ home, path: '/usr/bin' })
  expect(mounts.some((mount) => isWithin(path, mount))).toBe(true)
  expect(hide).toContain(path)
})
