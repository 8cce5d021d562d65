import { describe, expect, test } from 'vitest'
import { describePowers } from './describe-powers.ts'
import { describeProblem, LoopFileError } from './loop-file-error.ts'
import { parseLoopFile } from './parse-loop-file.ts'

const parse = async (text: string) => (await parseLoopFile(text, 'a.yaml')).file
const withAgent = (agent: string): string =>
  `prompt: do it\nagent: ${agent}\nchecks: { test: npm test }\n`

async function refusal(text: string): Promise<readonly string[]> {
  const error: unknown = await parse(text).catch((thrown: unknown) => thrown)
  if (!(error instanceof LoopFileError)) throw new Error(`not refused: ${text}`, { cause: error })
  return error.problems.map((one) => describeProblem(one).replace(/^a\.yaml:/, ''))
}

describe('a loop file', () => {
  test('may name only its agent, which then has default settings', async () => {
    const usual = { args: [], env: [], timeoutMs: 1_800_000, idleMs: 300_000, subscription: false }
    const file = await parse(withAgent('gemini'))
    expect(file.agents['maker']).toEqual({ type: 'program', program: 'gemini', ...usual })
    const acp = await parse(withAgent('{ acp: opencode }'))
    expect(acp.agents['maker']).toEqual({
      type: 'acp',
      acp: 'opencode',
      permissions: 'all',
      ...usual,
    })
  })

  test('with the repair agent needs no prompt: the agent gets its earlier attempts', async () => {
    const file = await parse('agent: repair\nchecks: { test: npm test }\n')
    const search = { seed: 1, candidatesMax: 3000, timeMs: 60_000, heldBackShare: 0.3 }
    expect(file.agents['maker']).toEqual({ type: 'repair', ...search })
    expect(file.settings).toMatchObject({
      prompt: [{ text: expect.stringContaining('{{ progress }}') }],
    })
    expect(await parse('agent: { repair: {} }\nchecks: { test: npm test }\n')).toEqual(file)
  })
})

describe('problems with an agent are reported with their position', () => {
  test.each<[string, string, string]>([
    [
      'a misspelt agent name',
      'prompt: x\nagent: cluade\nchecks: { t: x }',
      '2:8: agent: there is no agent "cluade": did you mean claude?',
    ],
    [
      'a misspelt program',
      'prompt: x\nagent: { program: codx }\nchecks: { t: x }',
      '2:19: agent.program: there is no agent program "codx": did you mean codex?',
    ],
    [
      'a misspelt ACP agent',
      'prompt: x\nagent: { acp: gemni }\nchecks: { t: x }',
      '2:15: agent.acp: there is no agent program "gemni": did you mean gemini?',
    ],
    [
      'an agent that is a number',
      'prompt: x\nagent: 5\nchecks: { t: x }',
      '2:8: agent: expected claude, codex, opencode, gemini, repair or keys and values, found the number 5',
    ],
    [
      'a setting of another agent',
      'prompt: x\nagent: { program: claude, permissions: all }\nchecks: { t: x }',
      '2:27: agent.permissions: there is no key "permissions": expected one of program, turns, model, args, env, timeout, idle, subscription',
    ],
    [
      'a model for a command by ACP',
      'prompt: x\nagent: { acp: [a], model: b }\nchecks: { t: x }',
      '2:27: agent.model: a command takes its model as an argument: put it into acp',
    ],
    [
      'repair without a check',
      'agent: repair',
      '1:1: checks: the repair agent needs a check that is a command and fails now: add one, such as test: npm test',
    ],
    [
      'tools for repair',
      'agent: repair\nchecks: { t: x }\ntools: [read]',
      '3:8: tools: the repair agent calls no tools, so this has no effect: remove it',
    ],
    [
      'no prompt',
      'agent: codex\nchecks: { t: x }',
      '1:1: prompt: it is missing: expected text or keys and values or a list',
    ],
  ])('%s', async (_what, text, problem) => {
    expect(await refusal(text)).toEqual([problem])
  })
})

test.each<[string, string, readonly string[]]>([
  [
    'a program',
    '{ program: claude, model: m, args: [--x], env: [MINE] }',
    ['runs the agent: claude --x, with the model m, with MINE from your environment'],
  ],
  [
    'a login',
    '{ program: claude, subscription: true }',
    [
      'runs the agent: claude',
      'runs the agent with its own login, outside the sandbox: it has network access and your permissions, and its cost is not counted',
    ],
  ],
  [
    'ACP',
    '{ acp: [my-agent, --acp], permissions: reads }',
    ['runs the agent by ACP: my-agent --acp', 'grants only requests of the agent to read'],
  ],
  ['repair', 'repair', ['tries small edits of the source until the checks pass, without a model']],
])('the trust prompt describes %s', async (_what, agent, lines) => {
  const powers = describePowers(await parse(withAgent(agent)))
  expect(powers.slice(2, 2 + lines.length)).toEqual(lines)
  expect(powers.join('\n')).not.toContain('lets the agent call')
})
