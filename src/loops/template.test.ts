import { describe, expect, test } from 'vitest'
import { isLoopError } from '../loop/index.ts'
import { createTemplate } from './template.ts'
import { sanitize } from './template-engine.ts'
import type { VariableShape } from './template-variables.ts'

const render = async (text: string, values: Record<string, unknown> = {}): Promise<string> =>
  (await createTemplate(text)).render(values)

/** The message of the `bad-template` that it ends in. */
async function problemOf(act: () => Promise<unknown>): Promise<string> {
  try {
    await act()
  } catch (error) {
    if (isLoopError(error, 'bad-template')) return error.message
    throw error
  }
  throw new Error('there was no problem')
}

describe('a template', () => {
  test('is rendered with its values', async () => {
    const text =
      'Do {{ input.goal }}.{% for c in checks %}\n- {{ c.name }}: {{ c.status }}{% endfor %}'
    const checks = [
      { name: 'test', status: 'met' },
      { name: 'lint', status: 'not-met' },
    ]
    const made = await render(text, { input: { goal: 'it' }, checks })
    expect(made).toBe('Do it.\n- test: met\n- lint: not-met')
  })

  test('shows an object as JSON, and nothing for null', async () => {
    expect(await render('{{ a }}|{{ b }}', { a: { x: [1] }, b: null })).toBe('{"x":[1]}|')
  })

  test('renders the path of the legacy format', async () => {
    const values = { repo: 'app', run_branch: 'run/fix the/thing' }
    const made = await render('../{{ repo }}.{{ run_branch | sanitize }}', values)
    expect(made).toBe('../app.run-fix-the-thing')
  })

  test.each([
    ['{{ "HTTPServer is-up nowOrNever" | snake_case }}', 'httpserver_is_up_now_or_never'],
    ['{{ a | json }}', '{"b":"c"}'],
    ['{{ none | default: "-" }}', '-'],
    ['{{ "a long text" | truncate: 8 }}', 'a lon...'],
    ['{{ "b,a" | split: "," | sort | join: "+" }}', 'a+b'],
    ['{% liquid\n assign n = 2 | times: 3\n echo n\n%}', '6'],
    ['{% if "abc" contains "b" %}yes{% else %}no{% endif %}', 'yes'],
    ['{% raw %}{{ not }}{% endraw %}', '{{ not }}'],
    ['{% # a comment %}{% comment %}{{ x }}{% endcomment %}.', '.'],
  ])('%s gives %s', async (text, made) => {
    expect(await render(text, { a: { b: 'c' }, none: null })).toBe(made)
  })

  test('lists the variables that it expects, without those that it defines', async () => {
    const text =
      '{{ input.goal }} {% for c in checks %}{{ c.name }}{{ forloop.index }}{% endfor %}' +
      '{% assign x = progress %}{{ x }}{{ checks[0].name }}{{ input.goal }}{{ a[b.c] }}{{ d["e f"] }}'
    expect((await createTemplate(text)).variables).toEqual([
      'input.goal',
      'checks',
      'progress',
      'checks[0].name',
      'a[b.c]',
      'b.c',
      'd["e f"]',
    ])
  })
})

describe('problems are reported with their position:', () => {
  test.each([
    ['\n  {{ a | upcse }}', ':2:10: there is no filter "upcse". Did you mean "upcase"?'],
    ['{{ a | frobnicate }}', ':1:8: there is no filter "frobnicate". There are: abs,'],
    ['x\n{% asign a = 1 %}', ':2:1: there is no tag "asign". Did you mean "assign"?'],
    ['x {{ a', ':1:3: output "{{ a" not closed.'],
    ['{% if a %} x', ':1:1: tag {% if a %} not closed.'],
    [
      'a\n\n{% include "x" %}',
      ':3:1: there is no tag "include": a template cannot read other files',
    ],
  ])('%j', async (text, message) => {
    const problem = await problemOf(() => createTemplate(text, { file: 'p.md' }))
    expect(problem).toContain(`p.md${message}`)
  })

  test.each([
    [
      '\n\n {{ input.gaol }}',
      ':3:5: there is no variable "input.gaol". Did you mean "input.goal"?',
    ],
    ['{{ progess }}', ':1:4: there is no variable "progess". Did you mean "progress"?'],
    ['{{ zzz }}', ':1:4: there is no variable "zzz". There are: input, progress, list.'],
    ['{{ progress.text }}', ':1:4: there is no variable "progress.text". It has no parts.'],
    [
      '{% for c in list %}{{ c.nme }}{% endfor %}',
      ':1:23: there is no variable "c.nme". Assign it',
    ],
    ['{{ "%E0" | url_decode }}', ':1:1: URI malformed.'],
    ['ab {{ input | where: "x" }}', ':1:4: an item of the list has no part "x".'],
  ])('at rendering, %j', async (text, message) => {
    const template = await createTemplate(text)
    const values = { input: { goal: 'g' }, progress: 'p', list: [{ name: 'n' }] }
    const problem = await problemOf(async () => template.render(values))
    expect(problem).toContain(`template${message}`)
  })

  test('positions refer to the file that contains the template', async () => {
    const options = { file: 'loop.yaml', line: 7, indent: 2 }
    const problem = await problemOf(() => createTemplate('a\n  {{ b | x_y }}', options))
    expect(problem).toContain('loop.yaml:8:12: there is no filter "x_y"')
  })
})

describe('variables are known before they have values', () => {
  const known: VariableShape = {
    parts: {
      input: { parts: { goal: 'value', extra: 'any' } },
      checks: { list: { parts: { name: 'value', status: 'value' } } },
      progress: 'value',
      groups: { list: { list: { parts: { a: 'value' } } } },
    },
  }

  test.each([
    'nothing',
    '{{ input }}{{ input.goal }}{{ input.goal.size }}{{ input.extra.deep[0].er }}{{ input[progress] }}',
    '{{ checks[0].name }}{{ checks.first.status }}{{ checks.last.name }}{{ checks.size }}',
    '{% for c in checks %}{{ c.name }}{{ forloop.last }}{% endfor %}{% assign x = 1 %}{{ x }}',
    '{% for c in input %}{{ c[0] }}{{ c[1].any }}{% endfor %}{% for c in progress %}{{ c }}{% endfor %}',
    '{% for c in input.extra %}{{ c.any.thing }}{% endfor %}{% for i in (1..3) %}{{ i }}{% endfor %}',
    '{% assign checks = input.extra %}{% for c in checks %}{{ c.other }}{% endfor %}',
    '{% for c in checks %}{% for c in input.extra %}{{ c.other }}{% endfor %}{% endfor %}',
    '{% for g in groups %}{% for c in g %}{{ c.a }}{{ g.size }}{% endfor %}{% endfor %}',
  ])('%s', async (text) => {
    const template = await createTemplate(text)
    expect(() => template.checkVariables(known)).not.toThrow()
  })

  test.each([
    ['{% if false %}{{ input.gaol }}{% endif %}', ':1:18: there is no variable "input.gaol"'],
    ['{% case progress %}{% when chekcs %}{% endcase %}', 'Did you mean "checks"?'],
    ['{{ "a" | append: progres }}', 'Did you mean "progress"?'],
    ['{{ checks[0].nme }}', '"checks[0].nme". Did you mean "checks[0].name"?'],
    ['{{ checks.name }}', 'there is no variable "checks.name"'],
    ['{{ progress.text }}', 'there is no variable "progress.text"'],
    ['{% for i in (1..n) %}{% endfor %}', 'there is no variable "n"'],
    ['{{ input[zzz] }}', 'there is no variable "zzz"'],
    ['{{ x }}{% assign x = 1 %}', 'there is no variable "x"'],
    [
      '{% if false %}{% for c in checks %}{{ c.nme }}{% endfor %}{% endif %}',
      ':1:39: there is no variable "checks[].nme". Did you mean "checks[].name"?',
    ],
    [
      '{% for c in checks %}{% for d in c.parts %}{{ d }}{% endfor %}{% endfor %}',
      '"checks[].parts"',
    ],
    ['{% for g in groups %}{% for c in g %}{{ c.b }}{% endfor %}{% endfor %}', '"groups[][].b"'],
    ['{{ constructor }}', 'there is no variable "constructor"'],
    ['{{ input.__proto__ }}', 'there is no variable "input.__proto__"'],
  ])('%s is refused', async (text, message) => {
    const template = await createTemplate(text)
    expect(await problemOf(async () => template.checkVariables(known))).toContain(message)
  })
})

describe('a sanitized name', () => {
  test.each([
    ['run/fix-it', 'run-fix-it'],
    ['..', 'unnamed'],
    ['../../etc/passwd', 'etc-passwd'],
    ['.hidden', 'hidden'],
    ['-rf', 'rf'],
    ['a\u0000b\nc', 'a-b-c'],
    ['C:\\x', 'C-x'],
    ['größe/修复', 'größe-修复'],
    ['', 'unnamed'],
    ['a..b', 'a.b'],
  ])('of %j is %j', (name, safe) => {
    expect(sanitize(name)).toBe(safe)
  })

  test('is never longer than a file name may be', () => {
    expect(Buffer.byteLength(sanitize('語'.repeat(100_000)))).toBeLessThanOrEqual(200)
  })
})
