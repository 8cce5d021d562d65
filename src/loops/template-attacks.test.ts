// What a hostile template can do: nothing but fail with a clear error or return harmless text, in
// limited time and space.

import { describe, expect, test } from 'vitest'
import { isLoopError } from '../loop/index.ts'
import { createTemplate } from './template.ts'

const values = {
  input: { goal: 'the goal', list: [1, 2, 3], nested: { deep: { er: 'x' } } },
  word: 'word',
  hostile: '{{ input.goal }}{% include "/etc/passwd" %}{{ "a" | append: "b" }}',
  lines: 'a\nb\nc',
  nothing: null,
}

/** The outcome: text, or the message of a `bad-template`. Anything else fails the test. */
async function outcomeOf(text: string): Promise<string> {
  try {
    return `text: ${(await createTemplate(text, { file: 't' })).render(values)}`
  } catch (error) {
    if (isLoopError(error, 'bad-template')) return `error: ${error.message}`
    throw error
  }
}

const nested = (open: string, close: string, times: number): string =>
  `${open.repeat(times)}x${close.repeat(times)}`

const doubling = (line: string, times: number): string => `${line}\n`.repeat(times)

type Attack = readonly [name: string, template: string, outcome: RegExp]

const code: readonly Attack[] = [
  ['the constructor of a value', '{{ word.constructor }}', /^error: .*no variable/],
  ['the constructor of a constructor', '{{ word.constructor.constructor }}', /^error/],
  ['a constructor by name', '{{ input["constructor"] }}', /^error: .*no variable/],
  ['a constructor by a computed name', '{% assign c = "constructor" %}{{ input[c] }}', /^error/],
  ['the prototype', '{{ input.__proto__ }}', /^error: .*no variable/],
  ['the prototype of the root', '{{ __proto__.polluted }}', /^error: .*no variable/],
  ['a prototype by a computed name', '{% assign p = "__proto__" %}{{ input[p] }}', /^error/],
  ['an inherited method', '{{ input.toString }}', /^error: .*no variable/],
  ['a method of a list', '{{ input.list.map }}', /^error: .*no variable/],
  ['a method of text', '{{ word.repeat }}', /^error: .*no variable/],
  ['a legacy getter', '{{ input.__lookupGetter__ }}', /^error: .*no variable/],
  ['the process', '{{ process.env }}', /^error: .*no variable/],
  ['the global object', '{{ globalThis }}{{ global }}{{ this }}', /^error: .*no variable/],
  ['a require', '{{ require("fs") }}', /^error/],
  ['JavaScript', '{{ 1 + alert(1) }}', /^(text: 1$|error)/],
  ['a template literal', '{{ `${process.exit()}` }}', /^error/],
  [
    'the inside of a drop',
    '{% for i in input.list %}{{ forloop.constructor }}{% endfor %}',
    /^error/,
  ],
  [
    'a method of a drop',
    '{% for i in (1..1) %}{{ forloop.next }}{{ forloop.next }}{% endfor %}',
    /^./,
  ],
  [
    'an item by the prototype',
    '{{ input.list | map: "__proto__" | json }}',
    /^(text: \[null,null,null\]|error)/,
  ],
  ['a filter named as the prototype', '{{ word | __proto__ }}', /^error: .*no filter/],
  ['a filter named constructor', '{{ word | constructor }}', /^error: .*no filter "constructor"/],
  ['a filter named toString', '{{ word | toString }}', /^error: .*no filter/],
  ['a tag named constructor', '{% constructor %}', /^error: .*no tag "constructor"/],
  ['a tag named as the prototype', '{% __proto__ %}', /^error: .*no tag/],
  [
    'an expression as text',
    '{{ input.list | where_exp: "i", "i.constructor" }}',
    /^error: .*no filter/,
  ],
  ['a group by expression', '{{ input.list | group_by_exp: "i", "i" }}', /^error: .*no filter/],
]

const files: readonly Attack[] = [
  ['an include', '{% include "/etc/passwd" %}', /^error: t:1:1: .*cannot read other files/],
  ['a render', '{% render "../../secret" %}', /^error: .*cannot read other files/],
  ['a layout', '{% layout "/etc/hosts" %}', /^error: .*cannot read other files/],
  ['a block', '{% block x %}{% endblock %}', /^error: .*cannot read other files/],
  ['an include by a value', '{% include input.goal %}', /^error: .*cannot read other files/],
  [
    'an include in a liquid tag',
    '{% liquid\n include "x"\n%}',
    /^error: .*cannot read other files/,
  ],
  ['an include in a branch not taken', '{% if false %}{% render "x" %}{% endif %}', /^error/],
  ['a table', '{% tablerow i in (1..9) %}{{ i }}{% endtablerow %}', /^error: .*no tag/],
]

const chance: readonly Attack[] = [
  ['the time', '{{ "now" | date: "%s" }}', /^error: .*no filter "date"/],
  ['the time as XML', '{{ "now" | date_to_xmlschema }}', /^error: .*no filter/],
  ['a random item', '{{ input.list | sample }}', /^error: .*no filter/],
  ['a key', '{{ word | hmac_sha256: "k" }}', /^error: .*no filter/],
]

const bombs: readonly Attack[] = [
  ['a range of 1e8', '{% for i in (1..100000000) %}x{% endfor %}', /^error: .*makes more than/],
  ['a range of 1e300', '{% for i in (1..1e300) %}x{% endfor %}', /^error/],
  [
    'a range to infinity',
    '{% assign n = 1 | divided_by: 0 %}{% for i in (1..n) %}x{% endfor %}',
    /^error/,
  ],
  ['a backward range', '{% for i in (9..1) %}x{% endfor %}', /^text: $/],
  ['a range of words', '{% for i in ("a".."z") %}x{% endfor %}', /^(text: $|error)/],
  ['a negative range', '{% for i in (-3..-1) %}{{ i }}{% endfor %}', /^text: -3-2-1$/],
  ['a long loop', '{% for i in (1..1000000) %}{% endfor %}', /^error: .*more than 200000 times/],
  ['loops in loops', nested('{% for i in (1..999) %}', '{% endfor %}', 5), /^error/],
  ['loops in a hundred loops', nested('{% for i in (1..9) %}', '{% endfor %}', 100), /^error/],
  [
    'text doubled by append',
    `{% assign a = "x" %}${doubling('{% assign a = a | append: a %}', 40)}`,
    /^error: .*makes more than/,
  ],
  [
    'text doubled by capture',
    `{% assign a = "x" %}${doubling('{% capture a %}{{ a }}{{ a }}{% endcapture %}', 40)}`,
    /^error: .*makes more than/,
  ],
  [
    'text doubled by replace',
    `{% assign a = "xx" %}${doubling('{% assign a = a | replace: "x", a %}', 20)}`,
    /^error/,
  ],
  [
    'text doubled by join',
    `{% assign a = "x,x" %}${doubling('{% assign a = a | split: "," | join: a %}', 40)}`,
    /^(error|text)/,
  ],
  [
    'lists doubled by concat',
    `{% assign a = "x" | split: "," %}${doubling('{% assign a = a | concat: a %}', 40)}`,
    /^error: .*more than/,
  ],
  [
    'lists of the same list',
    `{% assign a = "x" | split: "," %}${doubling('{% assign a = a | push: a %}', 60)}{{ a }}`,
    /^error: .*more than/,
  ],
  [
    'groups of the same group',
    `{% assign a = input.list %}${doubling('{% assign a = a | group_by: "size" | concat: a %}', 60)}{{ a }}`,
    /^error/,
  ],
  [
    'a long output',
    '{% for i in (1..199999) %}{{ hostile }}{% endfor %}',
    /^error: .*makes more than/,
  ],
  [
    'a list of every letter',
    '{% assign a = "x" %}{% for i in (1..22) %}{% assign a = a | append: a %}{% endfor %}{{ a | split: "" | size }}',
    /^error/,
  ],
  ['a long slice', '{{ word | slice: 0, 999999999999 }}', /^error: .*makes more than/],
  ['a long truncation', '{{ word | truncate: 99999999999, "…" }}', /^text: word$/],
  ['an endless number', `{{ ${'9'.repeat(308)} | times: 9999 }}`, /^text: Infinity$/],
  ['a division by zero', '{{ 1 | divided_by: 0 }}{{ 1 | modulo: 0 }}', /^text: InfinityNaN$/],
  ['a JSON of wide indent', '{{ input | json: 99999999 }}', /^text: \{/],
  [
    'sums in a loop',
    '{% assign a = (1..150000) %}{% for i in (1..20) %}{{ a | sum }}{% endfor %}',
    /^(text|error)/,
  ],
  [
    'a sort of many',
    '{% assign a = (1..199999) | sort | reverse | uniq %}{{ a.size }}',
    /^text: 199999$/,
  ],
]

const shapes: readonly Attack[] = [
  ['tags nested deeply', nested('{% if word %}', '{% endif %}', 600), /^(text: x$|error)/],
  ['an unclosed output', 'a {{ word', /^error: t:1:3: .*not closed/],
  ['an unclosed tag', '{% if word', /^error: t:1:1: .*not closed/],
  ['an unclosed block', '{% for i in input.list %}', /^error: .*not closed/],
  ['an unclosed raw', '{% raw %}{{ word }}', /^error/],
  ['an unclosed comment', '{% comment %}', /^error: .*not closed/],
  ['an unclosed string', '{{ "abc }}', /^error/],
  ['a stray end', '{% endif %}', /^error: .*no tag "endif"/],
  ['two elses', '{% if nothing %}a{% else %}b{% else %}c{% endif %}', /^(text: b|error)/],
  ['an empty output', '{{ }}', /^(text: $|error)/],
  ['an empty tag', '{% %}', /^error/],
  ['an unknown filter', '{{ word | exec: "id" }}', /^error: t:1:11: there is no filter "exec"/],
  ['an unknown tag', '{% exec "id" %}', /^error: t:1:1: there is no tag "exec"/],
  ['endless braces', '{'.repeat(200_000), /^(text|error)/],
  ['endless openings', '{{'.repeat(100_000), /^error/],
  ['endless pipes', `{{ word ${'| upcase '.repeat(10_000)}}}`, /^error: .*tags are longer/],
  ['endless brackets', `{{ input${'['.repeat(5000)} }}`, /^error/],
  ['endless dots', `{{ input${'.nested'.repeat(2000)} }}`, /^error: .*no variable/],
  ['a very long template', 'x'.repeat(300_000), /^error: .*300000 characters long/],
  ['very many tags', '{{word}}'.repeat(30_000), /^error: .*tags are longer/],
  ['a NUL', 'a\u0000{{ word }}\u0000', /^text: a.word.$/s],
  ['a NUL in a name', '{{ wo\u0000rd }}', /^(error|text: )/],
  ['half a character', '\ud800{{ word }}', /^text: \ud800word$/],
  ['right-to-left text', '{{ word\u202e }}', /^(error|text: )/],
  [
    'a regular expression',
    '{{ "aaaaaaaaaaaaaaaaaaaaaaaa!" | replace: "(a+)+$", "x" }}',
    /^text: a{24}!$/,
  ],
  [
    'a pattern of replacement',
    '{{ word | replace: "o", "$&$1" | replace_first: "w", "$`" }}',
    /^text: \$`\$&\$1rd$/,
  ],
  ['a hostile URL', '{{ "%" | url_decode }}', /^error: .*URI malformed/],
  ['hostile base64', '{{ "%%%" | base64_decode }}', /^error/],
  ['an endless cycle', '{% cycle "a", "b" %}{% cycle %}', /^(text|error)/],
  ['a break outside', 'a{% break %}b', /^text: a/],
  [
    'a counter named as the prototype',
    '{% increment __proto__ %}{% increment __proto__ %}',
    /^(text|error)/,
  ],
  [
    'a variable named as the prototype',
    '{% assign __proto__ = input %}{{ goal }}',
    /^error: .*no variable/,
  ],
  [
    'a capture named as the prototype',
    '{% capture __proto__ %}x{% endcapture %}{{ word }}',
    /^text: word$/,
  ],
  ['a loop over text', '{% for c in word %}{{ c }}{% endfor %}', /^text: word$/],
  [
    'a loop over nothing',
    '{% for c in nothing %}{{ c }}{% else %}none{% endfor %}',
    /^text: none$/,
  ],
  [
    'a loop over an object',
    '{% for c in input %}{{ c[0] }} {% endfor %}',
    /^text: goal list nested $/,
  ],
  [
    'a loop with a hostile limit',
    '{% for c in input.list limit: -1 offset: "x" %}{{ c }}{% endfor %}',
    /^(text|error)/,
  ],
]

describe.each([
  ['code', code],
  ['files', files],
  ['time and randomness', chance],
  ['too much', bombs],
  ['shapes', shapes],
])('an attack by %s:', (_kind, attacks) => {
  test.each(attacks)('%s', async (_name, template, outcome) => {
    expect((await outcomeOf(template)).slice(0, 2000)).toMatch(outcome)
  })
})

test('the same template and values give the same text', async () => {
  const text =
    '{% for c in input.list %}{{ c | times: 1.1 | round: 2 }} {% endfor %}{{ input | json }}'
  expect(await outcomeOf(text)).toBe(await outcomeOf(text))
})
