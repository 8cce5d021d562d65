import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isLoopError } from '../../loop/index.ts'
import { describePowers } from './describe-powers.ts'
import { parseLoopFile } from './parse-loop-file.ts'
import { requireTrusted } from './require-trusted.ts'
import { openTrust } from './trust.ts'

let folder: string

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'loopwright-trust-')), 'state')
})

afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

const digest = (number: number): string => number.toString(16).padStart(64, '0')
const path = (): string => join(folder, 'trust.json')
const one = { digest: digest(1), file: '/a.yaml' }
const two = { digest: digest(2), file: '/b.yaml' }

describe('trust', () => {
  test('is given to content at a path, listed, and revoked', async () => {
    const trust = openTrust(folder)
    expect(await trust.isTrusted(one)).toBe(false)
    await trust.trust(one)
    await trust.trust(two)
    expect(await trust.isTrusted(one)).toBe(true)
    expect(await trust.isTrusted({ ...one, digest: digest(3) })).toBe(false)
    // The same text elsewhere would run other files.
    expect(await trust.isTrusted({ ...one, file: '/elsewhere/a.yaml' })).toBe(false)
    await trust.trust(one)
    expect((await openTrust(folder).list()).map((entry) => entry.file)).toEqual([
      '/a.yaml',
      '/b.yaml',
    ])
    expect(await trust.forget(one)).toBe(true)
    expect(await trust.forget(one)).toBe(false)
    expect(await trust.isTrusted(one)).toBe(false)
    expect(await trust.isTrusted(two)).toBe(true)
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['trust.json'])
  })

  test.each([
    ['half a file', '{"version":1,"trus'],
    ['another shape', '{"version":1,"trusted":[{"digest":"x"}]}'],
    ['another version', '{"version":2,"trusted":[]}'],
    ['bytes', '\u0000\u0001'],
  ])(
    'that is damaged (%s) trusts nothing, reports it, and can be given again',
    async (_what, text) => {
      const trust = openTrust(folder)
      await trust.trust({ digest: digest(1), file: '/a.yaml' })
      expect(await trust.damage()).toBeUndefined()
      writeFileSync(path(), text)
      expect(await trust.isTrusted(one)).toBe(false)
      expect(await trust.damage()).toMatch(/trust\.json is ignored because it is damaged/)
      await trust.trust({ digest: digest(2), file: '/b.yaml' })
      expect(await trust.damage()).toBeUndefined()
      expect(await trust.isTrusted(two)).toBe(true)
      const [aside = ''] = readdirSync(folder).filter((name) => name.includes('damaged'))
      expect(readFileSync(join(folder, aside), 'utf8')).toBe(text)
    },
  )

  test('in a file that others can write is not used', async () => {
    const trust = openTrust(folder)
    await trust.trust({ digest: digest(1), file: '/a.yaml' })
    chmodSync(path(), 0o666)
    expect(await trust.isTrusted(one)).toBe(false)
    expect(await trust.damage()).toMatch(/other users can write to it/)
  })

  test('in an unreadable file trusts nothing, and the file is not replaced', async () => {
    const trust = openTrust(folder)
    mkdirSync(folder)
    symlinkSync('trust.json', path())
    expect(await trust.isTrusted(one)).toBe(false)
    expect(await trust.damage()).toMatch(/it cannot be read \(ELOOP\)/)
    const error: unknown = await trust
      .trust({ digest: digest(1), file: '/a.yaml' })
      .catch((thrown: unknown) => thrown)
    expect(isLoopError(error, 'store-failed')).toBe(true)
    expect(readdirSync(folder)).toEqual(['trust.json'])
  })

  test('given by many concurrent writers is all stored', async () => {
    const writers = Array.from({ length: 24 }, (_, index) =>
      openTrust(folder).trust({ digest: digest(index), file: `/${index}.yaml` }),
    )
    await Promise.all(writers)
    expect(await openTrust(folder).list()).toHaveLength(24)
  })

  test('does not wait for a writer that died', async () => {
    const child = fork(join(import.meta.dirname, 'nonexistent.js'), { silent: true })
    await once(child, 'exit')
    const trust = openTrust(folder)
    await trust.trust({ digest: digest(1), file: '/a.yaml' })
    writeFileSync(`${path()}.lock`, `${child.pid} dead`)
    await trust.trust({ digest: digest(2), file: '/b.yaml' })
    expect(await trust.list()).toHaveLength(2)
  })
})

describe('an untrusted file', () => {
  const text = `
prompt: x
workspace: ../project
agent: { model: anthropic/claude-sonnet-5, apiKeyEnv: MY_KEY }
mcp:
  files: { command: [server, "a b"], env: [HOME_TOKEN] }
  web: { url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer \${TOKEN}" } }
checks: { test: "rm -rf x; echo \\e[2J", lint: [npx, lint] }
`

  test('is described by what it may do, in lines that are safe to print', async () => {
    const { file } = await parseLoopFile(text, 'a.yaml')
    expect(describePowers(file)).toEqual([
      'works in ../project; if that is a git repository, in a separate git worktree, on a branch run/…, and commits each iteration there',
      'copies ignored files into the worktree: .env, .env.*, node_modules',
      'sends prompts and tool output to anthropic/claude-sonnet-5, with the key in MY_KEY',
      'lets the agent call read, write, edit, list, glob, grep, run and all of its MCP servers (run: any command)',
      'starts the MCP server files: server "a b", with HOME_TOKEN from your environment',
      'connects to the MCP server web at http://127.0.0.1:1/mcp, with TOKEN from your environment',
      'runs the check test: rm -rf x; echo \\u001b[2J',
      'runs the check lint: npx lint',
      'installs dependencies from the lockfiles of the project, to certify the work',
      'runs commands in a sandbox (if available) with the workspace, without network',
      'may use 50 iterations, 2,000,000 tokens, $5.00, 8 h',
    ])
  })

  test('is described by what it loosens', async () => {
    const small = 'prompt: x\nagent: { command: [a], subscription: true }\nchecks: { t: x }\n'
    const powers = async (sandbox: string): Promise<readonly string[]> => {
      const { file } = await parseLoopFile(`${small}sandbox: { ${sandbox} }\n`, 'a.yaml')
      return describePowers(file)
    }
    expect(
      await powers(
        'require: strong, hide: [.env], readOnly: [../a b], network: [a.example, "*.b.example:80"], limits: { memory: 512MB, cpus: 2, cpuTime: 2h }',
      ),
    ).toEqual([
      'works in the folder where it is run; if that is a git repository, in a separate git worktree, on a branch run/…, and commits each iteration there',
      'copies ignored files into the worktree: .env, .env.*, node_modules',
      'runs the agent: a',
      'runs the agent with its own login, outside the sandbox: it has network access and your permissions, and its cost is not counted',
      'runs the check t: x',
      'installs dependencies from the lockfiles of the project, to certify the work',
      'runs commands in a sandbox (at least tier strong) with the workspace except .env',
      'lets commands read "../a b"',
      'lets commands connect to a.example:443, *.b.example:80',
      'lets each command use 0.5 GB of memory, 2 processors, 7200 s of CPU time',
      'may use 50 iterations, 2,000,000 tokens, $5.00, 8 h',
    ])
    expect(await powers('require: none')).toContain(
      'runs commands without a sandbox: they have network access and your permissions',
    )
  })

  test('is refused until it is trusted, with the command to trust it', async () => {
    const trust = openTrust(folder)
    const asked = { path: "/it's/a.yaml", digest: digest(1), powers: ['runs x'] }
    const error: unknown = await requireTrusted(trust, asked).catch((thrown: unknown) => thrown)
    expect(isLoopError(error, 'not-trusted')).toBe(true)
    expect(String(error)).toContain("loopctl trust '/it'\\''s/a.yaml'\nIt:\n- runs x")
    await trust.trust({ digest: digest(1), file: asked.path })
    await expect(requireTrusted(trust, asked)).resolves.toBeUndefined()
  })
})
