// What a sandbox shows and hides if an agent writes the workspace.

import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  findCommandMounts,
  findProgramMounts,
  openSandbox,
  type Sandbox,
  type SandboxSpec,
} from '../../src/sandbox/index.ts'
import { never, newFolder } from './fixture.ts'

let sandbox: Sandbox
let workspace: string
beforeAll(async () => {
  sandbox = await openSandbox({ requireTier: 'strong' })
})
beforeEach(async () => {
  workspace = await newFolder()
})

/** Returns standard output and standard error. */
async function run(script: string, place: Partial<SandboxSpec> = {}): Promise<string> {
  const commands = sandbox.commands({ workspace, ...place })
  const { stdout } = await commands.run(
    { program: 'bash', args: ['-c', `exec 2>&1\n${script}`] },
    never,
  )
  return stdout
}

async function write(path: string, text: string): Promise<string> {
  const file = join(workspace, path)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, text)
  return file
}

describe('a read-only file of the workspace', () => {
  test('cannot be changed, replaced, moved or removed; the files beside it can', async () => {
    const file = await write('loop.yaml', 'prompt: mine\n')
    await write('other.txt', 'other')
    const output = await run(
      `echo evil > loop.yaml; mv loop.yaml away; rm -f loop.yaml; echo evil > new && mv -f new loop.yaml
       ln loop.yaml hard; chmod 777 loop.yaml; cat loop.yaml
       mv other.txt moved.txt && mkdir sub && mv moved.txt sub/ && echo fine`,
      { readOnly: [file] },
    )
    expect(output).toMatch(/prompt: mine\nfine\n$/)
    expect(await readFile(file, 'utf8')).toBe('prompt: mine\n')
    expect(existsSync(join(workspace, 'hard'))).toBe(false)
    expect(await readFile(join(workspace, 'sub/moved.txt'), 'utf8')).toBe('other')
  })

  test('cannot be removed by moving its parent folders', async () => {
    const file = await write('a/b/loop.yaml', 'mine')
    const output = await run(
      `mv a/b x; mv a y; rm -rf a; ls a/b
       echo 1 > a/b/f && mv a/b/f a/b/g && mkdir a/b/c && mv a/b/g a/b/c/ && cat a/b/c/g`,
      { readOnly: [file] },
    )
    expect(output).toMatch(/loop\.yaml\n1\n$/)
    expect(await readFile(file, 'utf8')).toBe('mine')
  })

  test('may be a whole folder, or all of the workspace', async () => {
    await write('fixtures/a.txt', 'a')
    const readOnly = [join(workspace, 'fixtures')]
    expect(await run('cat fixtures/a.txt; rm fixtures/a.txt || echo kept', { readOnly })).toMatch(
      /^a.*kept\n$/s,
    )
    expect(await run('touch x || echo kept', { readOnly: [workspace] })).toMatch(/kept\n$/)
  })

  test('cannot be a symlink that an agent created', async () => {
    const outside = await newFolder()
    await writeFile(join(outside, 'key'), 'secret')
    await symlink(outside, join(workspace, 'fixtures'))
    const alias = join(await newFolder(), 'alias')
    await symlink(workspace, alias)
    const paths = ['fixtures', 'fixtures/key', '../own/fixtures'].map(
      (path) => `${workspace}/${path}`,
    )
    for (const path of [...paths, `${alias}/fixtures`, `${alias}/fixtures/key`]) {
      for (const name of [workspace, alias]) {
        const open = (): unknown => sandbox.commands({ workspace: name, readOnly: [path] })
        expect(open).toThrow('leads out of the workspace')
      }
    }
  })

  test('cannot be reached from a symlink outside through one that an agent created', async () => {
    const outside = await newFolder()
    await writeFile(join(outside, 'key'), 'secret')
    await symlink(join(outside, 'key'), join(workspace, 'agent'))
    const link = join(await newFolder(), 'agent')
    await symlink(join(workspace, 'agent'), link)
    const open = (): unknown => sandbox.commands({ workspace, readOnly: [link] })
    expect(open).toThrow('leads out of the workspace')
  })

  test('may be listed through a symlink to the workspace', async () => {
    await write('loop.yaml', 'mine')
    const alias = join(await newFolder(), 'alias')
    await symlink(workspace, alias)
    const readOnly = [join(alias, 'loop.yaml')]
    const script = `echo evil > ${alias}/loop.yaml || cat ${alias}/loop.yaml ${workspace}/loop.yaml`
    expect(await run(script, { workspace: alias, readOnly })).toMatch(/minemine$/)
    expect(await run(script, { readOnly })).toMatch(/minemine$/)
  })
})

describe('a read-only path outside the workspace', () => {
  test('may be a symlink: its target is visible at both paths', async () => {
    const shared = await newFolder()
    await writeFile(join(shared, 'a.txt'), 'a')
    const link = join(await newFolder(), 'link')
    await symlink(shared, link)
    const script = `cat ${link}/a.txt ${shared}/a.txt; touch ${link}/x || echo refused`
    expect(await run(script, { readOnly: [link] })).toMatch(/^aa.*refused\n$/s)
  })

  test('may contain the workspace, which stays writable', async () => {
    const outer = join(workspace, '..')
    expect(await run(`touch x && touch ${outer}/y || echo refused`, { readOnly: [outer] })).toMatch(
      /refused\n$/,
    )
    expect(existsSync(join(workspace, 'x'))).toBe(true)
  })

  test.each(['/', '/proc', '/proc/1', '/sys', '/dev', '/run', '/etc', '/tmp', '/var', homedir()])(
    'cannot be %s',
    (path) => {
      const refused = expect.objectContaining({ code: 'bad-request' })
      expect(() => sandbox.commands({ workspace, readOnly: [path] })).toThrow(refused)
    },
  )

  test.each(['/nonexistent/lib', 'relative', '', '\0'])(
    'cannot be %j, which does not exist',
    (path) => {
      expect(() => sandbox.commands({ workspace, readOnly: [path] })).toThrow(
        expect.objectContaining({ code: 'bad-request' }),
      )
    },
  )

  test('cannot be a socket, which would be an escape', async () => {
    const socket = join(await newFolder(), 'agent.sock')
    const server = createServer().listen(socket)
    onTestFinished(() => void server.close())
    await new Promise((done) => server.once('listening', done))
    expect(() => sandbox.commands({ workspace, readOnly: [socket] })).toThrow('neither a file nor')
  })
})

describe('a hidden path', () => {
  test('stays hidden, whatever the command does, and for the next one too', async () => {
    await write('conf/deep/.env', 'KEY=secret')
    await write('.env', 'KEY=secret')
    const hide = ['conf/deep/.env', '.env']
    const attack = `for f in .env conf/deep/.env; do
        cat $f; rm -f $f; mv $f away; ln $f hard; cp $f copy; echo mine > $f; echo x > y && mv -f y $f; rm -f y; done
      mv conf/deep d; mv conf c; rm -rf conf; cat copy hard away d/.env c/deep/.env`
    expect(await run(attack, { hide })).not.toContain('secret')
    expect(await run('cat .env conf/deep/.env; find . -type f | xargs cat', { hide })).toBe('')
    expect(await readFile(join(workspace, 'conf/deep/.env'), 'utf8')).toBe('KEY=secret')
  })

  test('may be a symlink, whose target in the workspace is hidden too', async () => {
    await write('real/secrets', 'secret')
    await symlink('real/secrets', join(workspace, '.env'))
    await symlink('real', join(workspace, 'alias'))
    expect(await run('cat .env real/secrets', { hide: ['.env'] })).toBe('')
    expect(await run('cat .env real/secrets', { hide: ['alias/secrets'] })).toBe('')
    expect(await run('ls -A real', { hide: ['alias'] })).toBe('')
  })

  test('may be a folder, such as the state folder in the workspace', async () => {
    await write('.loopwright/journal.db', 'events')
    const hide = [join(workspace, '.loopwright')]
    const output = await run(
      'ls -A .loopwright; touch .loopwright/x || mv .loopwright y || echo kept',
      {
        hide,
      },
    )
    expect(output).toMatch(/kept\n$/)
    expect(output).not.toContain('journal')
    expect(existsSync(join(workspace, '.loopwright/journal.db'))).toBe(true)
  })

  test('may be inside a read-only path, and may be missing', async () => {
    const shared = await newFolder()
    await writeFile(join(shared, 'token'), 'secret')
    await symlink('/etc/passwd', join(workspace, 'out'))
    const hide = [join(shared, 'token'), 'missing', 'out', '/nonexistent/x', homedir()]
    expect(await run(`cat ${shared}/token; ls -A ${shared}`, { readOnly: [shared], hide })).toBe(
      'token\n',
    )
  })

  test.each(['.', '..'])('cannot be %s, which contains the workspace', (path) => {
    const place = { workspace, readOnly: [join(workspace, '..')], hide: [path] }
    expect(() => sandbox.commands(place)).toThrow('Hide a smaller folder')
  })
})

describe('the repository', () => {
  test('that is a symlink does not expose its target', async () => {
    const other = await newFolder()
    await mkdir(join(other, '.git'))
    await writeFile(join(other, '.git/config'), 'secret')
    await symlink(join(other, '.git'), join(workspace, '.git'))
    expect(await run('cat .git/config; ls .git/')).not.toContain('secret')
  })

  test('that is a file does not expose a folder that does not point back to it', async () => {
    const other = await newFolder()
    await mkdir(join(other, 'objects'), { recursive: true })
    await writeFile(join(other, 'HEAD'), 'secret')
    await write('.git', `gitdir: ${other}\n`)
    const output = await run(`cat ${other}/HEAD; echo evil > .git; mv .git x; cat .git`)
    expect(output).not.toContain('secret')
    expect(output).toMatch(/gitdir: .*\n$/)
  })

  test('cannot be replaced while commands run, because it was resolved before', async () => {
    await write('.git/config', '[core]\n')
    const commands = sandbox.commands({ workspace })
    await rename(join(workspace, '.git'), join(workspace, 'old'))
    const secret = await newFolder()
    await symlink(secret, join(workspace, '.git'))
    await expect(commands.run({ program: 'ls', args: [secret] }, never)).rejects.toMatchObject({
      fault: { code: 'sandbox-failed' },
    })
  })

  test('works without its config file if that contains a password', async () => {
    await write('.git/config', '[remote "a"]\n\turl = https://me:secret@host.example/x\n')
    await write('.git/HEAD', 'ref: refs/heads/main\n')
    await mkdir(join(workspace, '.git/objects'))
    await mkdir(join(workspace, '.git/refs'))
    await write('file', '')
    const output = await run(
      'git status --porcelain; cat .git/config; wc -c .git/config; echo x > .git/config',
    )
    expect(output).toMatch(/^\?\? file\n0 \.git\/config\n/)
    expect(output).toMatch(/Read-only file system|Permission denied/)
    expect(output).not.toContain('secret')
  })
})

describe('a program that a user installed', () => {
  test('does not expose the target of a symlink that an agent created', async () => {
    const secret = join(await newFolder(), 'key')
    await writeFile(secret, 'secret')
    await symlink(secret, join(workspace, 'agent.mjs'))
    const readOnly = findCommandMounts(['node', './agent.mjs'], {
      cwd: workspace,
      path: '/usr/bin',
    })
    expect(await run(`cat agent.mjs ${secret}`, { readOnly })).not.toMatch(/^secret/m)
  })

  test('is found by name, with the packages that it needs', async () => {
    const home = await newFolder()
    const bin = join(home, 'bin')
    const packages = join(home, 'lib/node_modules')
    await mkdir(join(packages, 'agent'), { recursive: true })
    await mkdir(join(packages, 'dep'))
    await mkdir(bin)
    await writeFile(join(home, 'key'), 'secret')
    await writeFile(join(packages, 'dep/index.js'), 'module.exports = "dep"')
    const cli = join(packages, 'agent/cli.js')
    await writeFile(cli, '#!/usr/bin/env node\nconsole.log(require("dep"), process.argv[2])\n')
    await chmod(cli, 0o755)
    await symlink('../lib/node_modules/agent/cli.js', join(bin, 'agent'))
    const path = `${bin}:/usr/bin`
    const readOnly = findProgramMounts('agent', { cwd: workspace, path, home })
    const commands = sandbox.commands({ workspace, readOnly })
    const { stdout } = await commands.run({ program: 'agent', args: ['works'] }, never)
    expect(stdout).toBe('dep works\n')
    expect(await run(`cat ${home}/key; ls ${home}`, { readOnly })).toMatch(/lib\n$/)
    expect(await run(`cat ${home}/key`, { readOnly })).not.toContain('secret')
  })
})
