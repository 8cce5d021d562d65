import { describe, expect, test } from 'vitest'
import { describePowers } from './describe-powers.ts'
import { describeProblem, LoopFileError } from './loop-file-error.ts'
import { parseLoopFile } from './parse-loop-file.ts'

const head = 'prompt: x\nagent: { command: [a] }\n'
const parse = async (text: string) => (await parseLoopFile(`${head}${text}\n`, 'a.yaml')).file
const usual = { timeoutMs: 600_000, existing: 'ask', outputs: [] } as const

/** Each problem as `line:column: path: reason`. */
async function refusal(text: string): Promise<readonly string[]> {
  const error: unknown = await parse(text).catch((thrown: unknown) => thrown)
  if (!(error instanceof LoopFileError)) throw new Error(`not refused: ${text}`, { cause: error })
  return error.problems.map((one) => describeProblem(one).replace(/^a\.yaml:/, ''))
}

describe('the checks of a loop file', () => {
  test('may be standard conditions by their names, with 30 seconds each', async () => {
    const { checks } = await parse('checks: [all_tests_pass, linting_clean]')
    expect(checks).toEqual({
      all_tests_pass: {
        ...usual,
        type: 'condition',
        condition: 'all_tests_pass',
        env: {},
        timeoutMs: 30_000,
      },
      linting_clean: {
        ...usual,
        type: 'condition',
        condition: 'linting_clean',
        env: {},
        timeoutMs: 30_000,
      },
    })
  })

  test('are the same as a list with names and as a table', async () => {
    const table = await parse(
      'checks: { tests: { condition: all_tests_pass, timeout: 2m }, unit: { run: [x], existing: allow, outputs: [dist] } }',
    )
    const list = await parse(
      'checks: [{ name: tests, condition: all_tests_pass, timeout: 2m }, { name: unit, run: [x], existing: allow, outputs: [dist] }]',
    )
    expect(list.checks).toEqual(table.checks)
    expect(list.checks['unit']).toEqual({
      type: 'command',
      command: ['x'],
      env: {},
      timeoutMs: 600_000,
      existing: 'allow',
      outputs: ['dist'],
    })
    const { checks } = await parse('checks: [{ name: build_succeeds, timeout: 5m }]')
    expect(checks['build_succeeds']).toMatchObject({
      condition: 'build_succeeds',
      timeoutMs: 300_000,
    })
  })

  test('may call a tool or ask a judge', async () => {
    const { checks } = await parse(
      'mcp: { bugs: { url: "http://127.0.0.1:1/" } }\nchecks: { bugs: { tool: bugs__count, args: { a: 1 }, expect: null }, good: { judge: claude, prompt: Is it good? } }',
    )
    expect(checks).toEqual({
      bugs: { ...usual, type: 'tool', tool: 'bugs__count', args: { a: 1 }, expect: null },
      good: {
        ...usual,
        type: 'judge',
        agent: expect.objectContaining({ type: 'program', program: 'claude' }),
        prompt: 'Is it good?',
      },
    })
  })

  test('are described in the trust prompt, with everything that certifying runs', async () => {
    const file = await parse(
      'checks: { a: { condition: all_tests_pass }, b: { tool: read, args: { path: x } }, c: { judge: { model: openai/gpt-5 }, prompt: x } }\ncertify: { consult: [{ name: s, agent: gemini, prompt: x }] }',
    )
    expect(describePowers(file)).toEqual(
      expect.arrayContaining([
        'runs the check a: the usual command for all_tests_pass in the project',
        'calls the tool read for the check b',
        'asks openai/gpt-5, which may read the workspace, to judge for the check c',
        'installs dependencies from the lockfiles of the project, to certify the work',
        'asks gemini for the consultation s',
      ]),
    )
  })

  test.each<[string, string, string]>([
    [
      'two with one name',
      'checks: [{ name: a, run: x }, { name: a, run: y }]',
      '3:31: checks[1]: there are two checks named a: give this one another name',
    ],
    [
      'an unknown standard condition',
      'checks: [all_test_pass]',
      '3:10: checks[0]: there is no standard condition "all_test_pass": did you mean all_tests_pass?',
    ],
    [
      'an unknown standard condition, by its key',
      'checks: { a: { condition: lint_clean } }',
      '3:27: checks.a.condition: there is no standard condition "lint_clean": did you mean linting_clean?',
    ],
    [
      'a standard condition instead of a command',
      'checks: { tests: all_tests_pass }',
      '3:18: checks.tests: all_tests_pass is a standard condition, not a command: write { condition: all_tests_pass }',
    ],
    [
      'an unknown form',
      'checks: { a: { condtion: all_tests_pass } }',
      '3:14: checks.a: expected one of the keys run, condition, tool; did you mean condition?',
    ],
    [
      'a judge without a prompt',
      'checks: { a: { judge: claude } }',
      '3:14: checks.a.prompt: it is missing: expected text',
    ],
    [
      'a judge that could change what it judges',
      'checks: { a: { judge: { program: claude, subscription: true }, prompt: x } }',
      '3:56: checks.a.judge.subscription: an agent with its own login runs outside the sandbox, and could change what it judges: remove this key',
    ],
    [
      'a judge that cannot judge',
      'checks: { a: { judge: repair, prompt: x } }',
      '3:23: checks.a.judge: the repair agent cannot judge: name another agent',
    ],
    [
      'an unknown tool',
      'checks: { a: { tool: raed } }',
      '3:22: checks.a.tool: there is no tool "raed": did you mean read?',
    ],
    [
      'a path outside the workspace',
      'checks: { a: { run: x, outputs: [../dist] } }',
      '3:34: checks.a.outputs[0]: expected a path in the workspace, such as dist, found the text "../dist"',
    ],
    [
      'a misspelt policy for existing failures',
      'checks: { a: { run: x, existing: ignore } }',
      '3:34: checks.a.existing: expected ask or fix or allow, found the text "ignore"',
    ],
    [
      'a seal of another kind',
      'checks: { a: x }\nseals: { path: [a] }',
      '4:10: seals.path: there is no key "path": did you mean paths?',
    ],
    [
      'a scope outside the workspace',
      'checks: { a: x }\nscope: [src/**, "!../x"]',
      '4:17: scope[1]: expected a glob over paths from the top of the workspace, such as src/** or !src/generated/**, found the text "!../x"',
    ],
    [
      'an unknown word for certify',
      'checks: { a: x }\ncertify: fast',
      '4:10: certify: expected quick, or a table, found the text "fast"',
    ],
    [
      'an unknown key of certify',
      'checks: { a: x }\ncertify: { quik: true }',
      '4:12: certify.quik: there is no key "quik": did you mean quick?',
    ],
    [
      'an unknown strength',
      'checks: { a: x }\ncertify: { require: red }',
      '4:21: certify.require: expected checks-pass or work-alone or red-to-green, found the text "red"',
    ],
    [
      'a duplicate consultation',
      'checks: { a: x }\ncertify: { consult: [{ name: a, agent: claude, prompt: x }, { name: a, agent: codex, prompt: x }] }',
      '4:69: certify.consult[1].name: there are two consultations named a: give this one another name',
    ],
  ])('are refused with a reason: %s', async (_what, text, problem) => {
    expect(await refusal(text)).toEqual([problem])
  })
})

describe('scope and certify of a loop file', () => {
  test('the scope is a list of globs, empty by default', async () => {
    expect((await parse('checks: { a: x }')).scope).toEqual([])
    const { scope } = await parse('checks: { a: x }\nscope: [src/**, "!src/generated/**"]')
    expect(scope).toEqual(['src/**', '!src/generated/**'])
  })

  test.each([
    ['certify: {}', { quick: false, require: 'work-alone' }],
    ['certify: quick', { quick: true, require: 'work-alone' }],
    ['certify: { quick: true, require: checks-pass }', { quick: true, require: 'checks-pass' }],
    ['certify: { require: red-to-green }', { quick: false, require: 'red-to-green' }],
    ['certify: { teeth: false }', { quick: true }],
    ['certify: { teeth: true }', { quick: false }],
    ['certify: { teeth: false, quick: false }', { quick: false }],
  ])('%s', async (text, expected) => {
    const { certify } = await parse(`checks: { a: x }\n${text}`)
    expect(certify).toMatchObject({ ...expected, deadlineMs: 86_400_000, dependencies: 'install' })
    expect(certify).not.toHaveProperty('teeth')
  })
})
