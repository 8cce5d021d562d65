// node extract.mjs <case> <output>: finds the total and the date of an invoice by the rules in rules.txt.
import { readFileSync, writeFileSync } from 'node:fs'

const [, , file, output] = process.argv
const rules = Object.fromEntries(
  readFileSync(new URL('rules.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
)
const lines = readFileSync(file, 'utf8').split('\n')

const start = rules.START === 'line' ? '^\\s*' : ''
const flags = rules.CASE === 'any' ? 'i' : ''
const label = new RegExp(`${start}(?:${rules.LABEL})\\s*${rules.SEPARATOR}\\s*(-?[\\d.,]+)`, flags)
const found = lines.flatMap((line) => label.exec(line)?.[1] ?? [])
const amount = rules.WHICH === 'first' ? found[0] : found.at(-1)
const date = new RegExp(rules.DATE).exec(
  lines.filter((line) => /dat(e|um):/i.test(line)).join('\n'),
)?.[1]

writeFileSync(output, `${JSON.stringify({ date: date ?? '', total: toNumber(amount ?? '') })}\n`)

/** In English a comma separates thousands, in German it separates the cents. */
function toNumber(text) {
  const isComma = rules.DECIMALS === 'comma' || (rules.DECIMALS === 'either' && /,\d\d$/.test(text))
  return isComma ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '')
}
