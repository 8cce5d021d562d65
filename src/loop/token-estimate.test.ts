import * as fc from 'fast-check'
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { estimateTokens, margin, tokensOf, weigh, weightOf } from './token-estimate.ts'

let seed = 1
function random(below: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}
const some = (alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random(alphabet.length)]).join('')

const letters = 'abcdefghijklmnopqrstuvwxyz'
const capitals = letters.toUpperCase()
const digits = '0123456789'
const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(index + 32)).join('')

const prose = `The engine runs an agent in a loop until the checks that it ran itself have passed. Nobody
has to watch it: every effect is journaled, limits hold before money is spent, and what a person is
asked lands in one place. "It's not the agent's word that counts," she said; it is the evidence, bound
to the exact tree. Unfortunately, misunderstandings about responsibility are characteristically common.
`
const code = `export async function runIteration(run: LiveRun, entry: Entry): Promise<void> {
  if (!(await start(run, entry))) return
  const recorded = entry.events === undefined ? noSteps : readSteps(entry.events)
  for (const [index, item] of recorded.entries()) {
    if (item.status !== 'done' && index >= 10) throw new LoopError('bad-request', \`no \${item.id}\`)
    total += Math.max(0, items[index]?.length ?? 0) * 1.5 // the rest is kept
  }
}
`
const json = JSON.stringify(
  Array.from({ length: 40 }, (_, index) => ({
    id: index * 7919,
    name: `node_modules/@scope/package-${index}`,
    version: `${index}.${index % 7}.13`,
    integrity: `sha512-${some(`${letters}${capitals}${digits}+/`, 86)}==`,
    dev: index % 2 === 0,
    tags: ['alpha', 'beta', null],
  })),
  undefined,
  2,
)

/** The token count of the text, the highest of all tokenizers. */
const actual = (text: string): number => Math.max(o200k(text), cl100k(text))

const ordinary: readonly [string, string][] = [
  ['prose', prose.repeat(20)],
  ['code', code.repeat(20)],
  ['JSON', json],
  [
    'Markdown',
    `# Title\n\n- **one**: [a link](https://example.com/a?b=1)\n- two\n\n${prose}`.repeat(9),
  ],
  ['Python', 'def f(x):\n    return [i ** 2 for i in range(x) if i % 2 == 0]\n\n'.repeat(50)],
  ['HTML', '<div class="a b"><span id="x1">Hello &amp; bye</span></div>\n'.repeat(50)],
  ['a stack', '    at Object.run (/srv/app/src/foo.test.ts:12:34)\n'.repeat(50)],
  ['a difference', '@@ -1,7 +1,7 @@\n-  const a = 1\n+  const a = 2\n   return a\n'.repeat(50)],
]

const unusual: readonly [string, string][] = [
  ['minified code', code.replaceAll(/\s*([^\w])\s*/g, '$1').repeat(20)],
  ['minified JSON', JSON.stringify(JSON.parse(json))],
  ['escaped JSON', JSON.stringify(JSON.stringify(json))],
  ['base64', some(`${letters}${capitals}${digits}+/`, 20_000)],
  ['hex', some(`${digits}abcdef`, 20_000)],
  ['upper-case hex', some(`${digits}ABCDEF`, 20_000)],
  ['base32', some(`${capitals}234567`, 20_000)],
  ['digits', some(digits, 20_000)],
  ['numbers', Array.from({ length: 3000 }, () => (random(1e6) / 1000).toFixed(3)).join(' ')],
  ['letters at random', some(letters, 20_000)],
  ['capitals at random', some(capitals, 20_000)],
  ['words at random', Array.from({ length: 3000 }, () => some(letters, 6)).join(' ')],
  ['ASCII at random', some(ascii, 20_000)],
  ['punctuation at random', some('!@#$%^&*()_+-=[]{}|;:\'",.<>/?`~\\', 10_000)],
  [
    'Chinese',
    '人工智能代理在循环中运行,直到检查通过为止。每一次迭代都从新的上下文开始。'.repeat(50),
  ],
  ['Japanese', 'ループの中でエージェントを実行します。検査が合格するまで繰り返します。'.repeat(50)],
  ['Korean', '에이전트를 루프에서 실행합니다. 검사가 통과될 때까지 반복합니다.'.repeat(50)],
  [
    'Russian',
    'Агенты работают в цикле, пока проверки не пройдут. Каждая итерация новая.'.repeat(50),
  ],
  ['Greek', 'Οι πράκτορες εκτελούνται σε βρόχο μέχρι να περάσουν οι έλεγχοι.'.repeat(50)],
  ['Arabic', 'تعمل الوكلاء في حلقة حتى تنجح الفحوصات. يبدأ كل تكرار بسياق جديد.'.repeat(50)],
  ['Hebrew', 'הסוכנים פועלים בלולאה עד שהבדיקות עוברות.'.repeat(50)],
  ['Hindi', 'एजेंट तब तक लूप में चलते हैं जब तक जाँच पास नहीं हो जाती।'.repeat(50)],
  ['Thai', 'ตัวแทนทำงานในลูปจนกว่าการตรวจสอบจะผ่าน'.repeat(50)],
  [
    'German',
    'Die Agenten arbeiten in einer Schleife, bis die Überprüfungen bestanden sind. '.repeat(50),
  ],
  ['Polish', 'Agenci pracują w pętli, dopóki sprawdzenia się nie powiodą. Gżegżółka. '.repeat(50)],
  ['Finnish', 'Agentit toimivat silmukassa, kunnes tarkistukset läpäistään. '.repeat(50)],
  ['emoji', '😀🎉🚀✨🔥👩‍💻👨‍👩‍👧‍👦🏳️‍🌈🇩🇪👍🏽🧑🏿‍🚀'.repeat(50)],
  ['mathematics', '∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, ∑ᵢ₌₁ⁿ i² ≤ ∫₀^∞ e^−x² dx ⇒ ⊥ ≠ ⊤ '.repeat(50)],
  ['spaces', ' '.repeat(10_000)],
  ['line feeds', '\n'.repeat(10_000)],
  ['tabs', '\t'.repeat(10_000)],
  ['all kinds of blanks', ' \n\t  \n\n   \r\n'.repeat(500)],
  ['Windows line endings', 'a\r\n'.repeat(2000)],
  ['control characters', some('\u0000\u0001\u0002\u0007\u001b\u001f', 5000)],
  ['terminal colors', '\u001b[31m\u001b[1mFAIL\u001b[22m\u001b[39m src/a.test.ts\n'.repeat(50)],
]

describe('the estimate', () => {
  test.each([...ordinary, ...unusual])('is not below the tokens of %s (T1)', (_name, text) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(actual(text))
  })

  test.each([...ordinary, ...unusual])('leaves room for other vendors, for %s (T1)', (_n, text) => {
    expect(estimateTokens(text) / actual(text)).toBeGreaterThan(margin - 0.05)
  })

  test.each(ordinary)('is not above two and a half times the tokens of %s', (_name, text) => {
    expect(estimateTokens(text) / o200k(text)).toBeLessThan(2.5)
  })

  test('of an empty text is 0, and of short texts is high enough', () => {
    expect(estimateTokens('')).toBe(0)
    for (const text of ['a', ' ', '\n', '.', '7', 'ü', '語', '😀', ' 5', 'Hello, world!']) {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(actual(text))
    }
  })

  test('of a text is at most the sum of its lines (T2)', () => {
    const line = fc.string({ unit: 'binary', maxLength: 12 })
    const pieces = fc.array(fc.oneof(line, fc.constantFrom('', ' ', '5', 'x 5', '\n', ' \n', '\r')))
    fc.assert(
      fc.property(pieces, (parts) => {
        const ended = parts.map((part) => `${part}\n`)
        const alone = ended.reduce((total, part) => total + weigh(part), 0)
        expect(weigh(ended.join(''))).toBeLessThanOrEqual(alone)
      }),
    )
  })

  test('of a part equals the estimate of its text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), fc.nat(20), (text, a, b) => {
        const [from, to] = [Math.min(a, text.length), Math.min(Math.max(a, b), text.length)]
        expect(weigh(text, from, to)).toBe(weigh(text.slice(from, to)))
      }),
    )
  })

  test('turns a limit into a weight that does not exceed it', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (tokens) => {
        expect(tokensOf(weightOf(tokens))).toBeLessThanOrEqual(tokens)
      }),
    )
  })
})
