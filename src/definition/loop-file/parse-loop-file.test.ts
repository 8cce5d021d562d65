import { describe, expect, test } from 'vitest'
import { isLoopError } from '../../loop/index.ts'
import { describeProblem, LoopFileError } from './loop-file-error.ts'
import { parseLoopFile } from './parse-loop-file.ts'

const nowMs = Date.parse('2026-11-15T12:00:00Z')
const small = 'prompt: do it\nagent: { command: [agent] }\nchecks: { test: npm test }\n'
const byModel = 'prompt: do it\nagent: { model: openai/gpt-5 }\nchecks: { test: npm test }\n'

const parse = async (text: string | Uint8Array, file = 'a.yaml') =>
  (await parseLoopFile(text, file, { nowMs })).file

/** Each problem as `line:column: path: reason`. */
async function refusal(text: string): Promise<readonly string[]> {
  const error: unknown = await parse(text).catch((thrown: unknown) => thrown)
  if (!(error instanceof LoopFileError)) throw new Error(`not refused: ${text}`, { cause: error })
  return error.problems.map((one) => describeProblem(one).replace(/^a\.yaml:/, ''))
}

describe('a loop file', () => {
  test('that is minimal has all defaults', async () => {
    expect(await parse(small, 'loops/fix-sum.loop.yaml')).toEqual({
      level: 2,
      gate: { type: 'always-escalate' },
      actions: [],
      loop: 'plain',
      name: 'fix-sum',
      input: {},
      agents: {
        maker: {
          type: 'command',
          command: ['agent'],
          env: [],
          timeoutMs: 1_800_000,
          subscription: false,
        },
      },
      readers: [],
      mcp: {},
      checks: {
        test: {
          type: 'command',
          command: ['/bin/sh', '-c', 'npm test'],
          timeoutMs: 600_000,
          env: {},
          existing: 'ask',
          outputs: [],
        },
      },
      scope: [],
      seals: { paths: [], except: [], keys: {}, changes: 'ask' },
      certify: {
        dependencies: 'install',
        installScripts: [],
        require: 'work-alone',
        quick: false,
        consult: [],
        deadlineMs: 86_400_000,
      },
      until: [{ type: 'checks-pass' }, { type: 'no-progress', iterations: 3 }],
      limits: {
        iterations: 50,
        tokens: 2_000_000,
        costMicros: 5_000_000,
        timeMs: 28_800_000,
        sameErrors: 3,
      },
      settings: {
        prompt: [
          {
            name: 'prompt',
            text: 'do it',
            priority: 100,
            stable: false,
            keep: 'start',
            required: false,
          },
        ],
        context: { tokensMax: 100_000 },
        progress: { entriesMax: 5, charsMax: 500 },
      },
      exclude: ['node_modules', '.venv'],
      sandbox: { readOnly: [], hide: [], network: [], limits: {} },
      worktree: { use: 'auto', provider: 'auto', allowDirty: false },
    })
  })

  test('may be JSON, start with a byte order mark, and have Windows line endings', async () => {
    const file = await parse(small)
    const json = { prompt: 'do it', agent: { command: ['agent'] }, checks: { test: 'npm test' } }
    expect(await parse(JSON.stringify(json))).toEqual(file)
    expect(await parse(`\ufeff${small.replaceAll('\n', '\r\n')}`)).toEqual(file)
  })

  test('has durations, amounts and times with units, which become numbers', async () => {
    const file = await parse(`${small}
limits: { cost: 1.5, time: 90s, deadline: 2027-01-01T01:00:00+01:00 }
until:
  - { type: budget, cost: 0.000001, time: 1.5h }
  - { type: all, of: [{ type: checks-pass, checks: [test] }, { type: max-iterations, iterations: 2 }] }
`)
    expect(file.limits).toMatchObject({
      costMicros: 1_500_000,
      timeMs: 90_000,
      deadlineAtMs: Date.parse('2027-01-01T00:00:00Z'),
    })
    expect(file.until).toEqual([
      { type: 'budget', costMicros: 1, timeMs: 5_400_000 },
      {
        type: 'all',
        of: [
          { type: 'checks-pass', checks: ['test'] },
          { type: 'max-iterations', iterations: 2 },
        ],
      },
    ])
  })

  test('may repeat a part by an alias', async () => {
    const file = await parse(
      'prompt: x\nagent: { command: [a] }\nchecks: { a: &one { run: [x] }, b: *one }\n',
    )
    expect(file.checks['b']).toEqual(file.checks['a'])
  })

  test('knows the lines of its templates, for error messages', async () => {
    const head = 'agent: { command: [a] }\nchecks: { test: x }\n'
    const of = async (prompt: string) =>
      (await parseLoopFile(`${head}${prompt}`, 'a.yaml')).templates['prompt']
    expect(await of('prompt: |\n  one\n  two\n')).toEqual({ prompt: { line: 4, column: 3 } })
    expect(await of('prompt: "one"\n')).toEqual({ prompt: { line: 3, column: 10 } })
    expect(await of('prompt:\n- { name: a, text: x }\n- name: b\n  text: |\n      y\n')).toEqual({
      a: { line: 4, column: 20 },
      b: { line: 7, column: 7 },
    })
  })
})

describe('problems are reported with their position', () => {
  test.each<[string, string, string]>([
    [
      'an unknown key',
      `${small}limts: {}\n`,
      '4:1: limts: there is no key "limts": did you mean limits?',
    ],
    [
      'a nested unknown key',
      `${small}limits: { iteratons: 3 }\n`,
      '4:11: limits.iteratons: there is no key "iteratons": did you mean iterations?',
    ],
    [
      'a misspelled kind of action in the gate',
      `${small}gate: { allow: [report, mege] }\n`,
      '4:25: gate.allow[1]: there is no kind of action "mege": did you mean merge?',
    ],
    [
      'a number without its unit',
      `${small}limits:\n  time: 30\n`,
      '5:9: limits.time: expected a duration with its unit, such as 500ms, 30s, 10m, 2h or 1d, found the number 30',
    ],
    [
      'a fraction of an iteration',
      `${small}limits: { iterations: 1.5 }`,
      '4:23: limits.iterations: expected a whole number from 1 to 1000000, found the number 1.5',
    ],
    [
      'a deadline that has passed',
      `${small}limits: { deadline: 2026-01-01T00:00:00Z }`,
      '4:21: limits.deadline: this time has passed (it is 2026-11-15T12:00:00.000Z now): set a later one',
    ],
    [
      'a condition that names no check',
      `${small}until: [{ type: checks-pass, checks: [tests] }]`,
      '4:39: until[0].checks[0]: there is no check "tests": did you mean test?',
    ],
    [
      'an unknown condition',
      `${small}until: [{ type: check-pass }]`,
      '4:17: until[0].type: there is no condition "check-pass": did you mean checks-pass?',
    ],
    [
      'an empty budget',
      `${small}until: [{ type: budget }]`,
      '4:9: until[0]: the budget is empty: set tokens, cost or time',
    ],
    [
      'no checks',
      'prompt: x\nagent: { command: [a] }\n',
      '1:1: checks: there are no checks, so checks-pass can never be met and the run could not succeed: add one, such as test: npm test, or use an until without checks-pass',
    ],
    [
      'an unknown tool',
      `${byModel}tools: [read, edti]`,
      '4:15: tools[1]: there is no tool "edti": did you mean edit?',
    ],
    [
      'a duplicate tool',
      `${byModel}tools: [read, read]`,
      '4:15: tools[1]: read is listed twice: remove one',
    ],
    [
      'a tool of an undefined server',
      `${byModel}tools: [files__read]`,
      '4:9: tools[0]: there is no MCP server files: define it under mcp',
    ],
    [
      'a tool of another server',
      `${byModel}mcp: { files: { command: [x] } }\ntools: [file__read]`,
      '5:9: tools[0]: there is no MCP server "file": did you mean files?',
    ],
    [
      'two sections with one name',
      'prompt: [{ name: a, text: x }, { name: a, text: y }]\nagent: { command: [a] }\nchecks: { t: x }',
      '1:40: prompt[1].name: there are two sections named a: give this one another name',
    ],
    [
      'an empty command',
      `${small}mcp: { a: { command: [] } }`,
      '4:22: mcp.a.command: the list is empty: expected a list of a program and its arguments',
    ],
    [
      'tools for an agent that has its own',
      `${small}tools: [read]`,
      '4:8: tools: an agent that is a command brings its own tools, so this has no effect: remove it',
    ],
    [
      'servers for an agent that has its own',
      `${small}mcp: { files: { command: [x] } }`,
      '4:6: mcp: an agent that is a command brings its own tools, so this has no effect: configure the servers in the program itself',
    ],
    [
      'a script that calls an unknown tool',
      'prompt: x\nagent: { script: [[{ call: raed }]] }\nchecks: { t: x }',
      '2:28: agent.script[0][0].call: there is no tool "raed": did you mean read?',
    ],
    [
      'an agent without a kind',
      'prompt: x\nagent: { modle: x }\nchecks: { t: x }',
      '2:8: agent: expected one of the keys program, acp, command, model, repair, script; did you mean model?',
    ],
    [
      'an agent of two kinds',
      'prompt: x\nagent: { command: [a], model: a/b }\nchecks: { t: x }',
      '2:24: agent.model: this key cannot be combined with the others: remove it, or remove them',
    ],
    [
      'a variable that is a number',
      small.replace('npm test', '{ run: x, env: { CI: 1 } }'),
      '3:38: checks.test.env.CI: expected text (put it in quotes), found the number 1',
    ],
    [
      'an input name that templates cannot use',
      `${small}input: { a-b: 1 }`,
      '4:10: input.a-b: expected an input name: letters, digits and "_", at most 64, found the text "a-b"',
    ],
    [
      'another loop type',
      `${small}loop: plan`,
      '4:7: loop: there is no loop type "plan": did you mean plain?',
    ],
    [
      'a key without a value',
      `${small}tools:`,
      '4:7: tools: expected a list of tool names, found nothing',
    ],
  ])('%s', async (_what, text, problem) => {
    expect(await refusal(text)).toEqual([problem])
  })

  test('several problems at once are in file order, up to a readable number', async () => {
    const problems = await refusal('promt: x\nagent: 5\nlimits: { cost: -1 }\n')
    expect(problems.map((one) => one.split(': ').slice(0, 2).join(' '))).toEqual([
      '1:1 prompt',
      '1:1 promt',
      '2:8 agent',
      '3:17 limits.cost',
    ])
    const many = Array.from({ length: 50 }, (_, index) => `k${index}: 1`).join('\n')
    const thrown = await parse(many).catch((error: unknown) => error)
    expect(isLoopError(thrown, 'bad-loop-file')).toBe(true)
    expect(String(thrown).split('\n')).toHaveLength(22)
    expect(String(thrown)).toMatch(
      /^\S+ a\.yaml cannot be used: there are 52 problems\. Correct them/,
    )
    expect(String(thrown)).toMatch(/and 32 more$/)
  })
})

test('then is the new name of actions, and only one of them may be used', async () => {
  const text = 'agent: claude\nprompt: x\nchecks: { a: node a.mjs }\n'
  const named = await parse(`${text}then: [merge, { notify: { by: desktop } }]\n`)
  expect(named.actions.map(({ kind }) => kind)).toEqual(['merge', 'notify'])
  expect(await parse(`${text}actions: [merge, { notify: { by: desktop } }]\n`)).toEqual(named)
  expect(await parse(`${text}then: [{ merge: { strategy: none } }]\n`)).toMatchObject({
    actions: [{ kind: 'merge', strategy: 'none' }],
  })
  const both = parse(`${text}then: [merge]\nactions: [merge]\n`)
  await expect(both).rejects.toThrow('use one of them')
})
