import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseLoopFile } from '../definition/loop-file/index.ts'
import { loopWarnings } from './loop-warnings.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-warnings-'))
  mkdirSync(join(folder, 'work'))
  writeFileSync(join(folder, 'work', '.env'), '')
  writeFileSync(join(folder, 'work', 'agent'), '', { mode: 0o755 })
  writeFileSync(join(folder, 'work', 'notes'), '', { mode: 0o644 })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function warnings(
  text: string,
  workspace = join(folder, 'work'),
): Promise<readonly string[]> {
  const path = join(folder, 'a.yaml')
  const { file } = await parseLoopFile(`prompt: x\nchecks: { t: x }\n${text}\n`, path)
  const environment = { PATH: '/nonexistent/bin', SET: '1' }
  return loopWarnings(file, path, workspace, { environment, folder })
}

describe('a loop file gets warnings for', () => {
  test('missing files', async () => {
    expect(await warnings('agent: { command: [./agent], env: [SET] }')).toEqual([])
    expect((await warnings('agent: { command: [./notes] }')).join()).toContain('chmod +x')
    expect(await warnings('agent: { command: [nobody], env: [UNSET] }')).toEqual([
      'agent.command: the program nobody was not found: install it, or use its path.',
      'agent.env: UNSET is not set, so the agent will not have it.',
    ])
    writeFileSync(join(folder, 'node'), '', { mode: 0o755 })
    writeFileSync(join(folder, 'work', 'agent.mjs'), '')
    const node = join(folder, 'node')
    expect(await warnings(`agent: { command: [${node}, agent.mjs] }`)).toEqual([])
    expect(await warnings(`agent: { command: [${node}, -e, x.y.js] }`)).toEqual([])
    expect(await warnings(`agent: { command: [${node}, agnet.mjs] }`)).toEqual([
      `agent.command: the script ${join(folder, 'work', 'agnet.mjs')} was not found: correct its path.`,
    ])
    expect(await warnings('agent: { model: a/b }\nsandbox: { hide: [x] }', '/nonexistent')).toEqual(
      ['workspace: there is no folder /nonexistent.'],
    )
  })

  test('a missing agent, and how to get it', async () => {
    expect(await warnings('agent: claude')).toEqual([
      expect.stringMatching(/^agent: claude is not on the PATH .*loopctl agents add claude/),
    ])
    expect(await warnings('agent: { acp: codex, env: [UNSET] }')).toEqual([
      expect.stringMatching(/^agent: codex-acp is not on the PATH .*loopctl agents add codex/),
      'agent.env: UNSET is not set, so the agent will not have it.',
    ])
    expect(await warnings('agent: { acp: [nobody] }')).toEqual([
      'agent.acp: the program nobody was not found: install it, or use its path.',
    ])
    expect(await warnings('agent: repair')).toEqual([])
  })

  test('a missing key of an agent, unless it has its own login', async () => {
    const agent = 'command: [./agent], env: [ANTHROPIC_API_KEY]'
    expect(await warnings(`agent: { ${agent} }`)).toEqual([
      'agent.env: ANTHROPIC_API_KEY is not passed to the agent, because it points to the gateway. Remove it.',
    ])
    expect(await warnings(`agent: { ${agent}, subscription: true }`)).toEqual([
      'agent.env: ANTHROPIC_API_KEY is not set, so the agent will not have it.',
    ])
  })

  test('paths that would not be hidden or shown', async () => {
    const model = 'agent: { model: a/b }\n'
    expect(await warnings(`${model}sandbox: { hide: [.env], readOnly: [work] }`)).toEqual([])
    expect(await warnings(`${model}sandbox: { hide: [.evn], readOnly: [wrok] }`)).toEqual([
      `sandbox.readOnly: ${join(folder, 'wrok')} does not exist.`,
      'sandbox.hide: .evn does not exist in the workspace, so nothing is hidden.',
    ])
  })
})
