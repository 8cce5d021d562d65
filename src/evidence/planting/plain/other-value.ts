/** Another value of the same type for a literal in Python, Go or Rust. */

/** Far enough from what faulty code returns, and within small integer types. */
const otherDigits = (digits: string): string => {
  const value = BigInt(digits)
  return String(value > 90n ? value - 37n : value + 37n)
}

/** Undefined: it is not a single literal. */
export function otherLiteral(text: string, marker: string): string | undefined {
  const sign = marker.replaceAll(/["\\\n`{}]/g, '_')
  const string = /^[rubfRUBF]{0,2}(#{0,20}"""|#{0,20}"|'''|'|`)/.exec(text)
  if (string !== null && /["'`]#{0,20}$/.test(text)) {
    const quote = (string[1] ?? '').replaceAll('#', '')
    const close = `${quote}${'#'.repeat((string[1] ?? '').length - quote.length)}`
    const inner = text.slice(string[0].length, -close.length)
    if (!text.endsWith(close) || inner.includes(close)) return undefined
    return `${text.slice(0, -close.length)} ${sign}${close}`
  }
  const number =
    /^(-?)(\d[\d_]{0,17})((?:\.\d[\d_]*)?(?:[ui](?:8|16|32|64|128|size)|f32|f64)?)$/.exec(text)
  if (number !== null)
    return `${number[1]}${otherDigits((number[2] ?? '').replaceAll('_', ''))}${number[3]}`
  const flipped: Readonly<Record<string, string>> = {
    True: 'False',
    False: 'True',
    true: 'false',
    false: 'true',
  }
  return flipped[text]
}
