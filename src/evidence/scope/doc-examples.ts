/** Finds examples in documentation that runners treat as tests: `cargo test` those of Rust, doctest those of Python. */

const docLine = /^\s*\/\/[/!] ?(.*?)\r?$/
const blockStart = /^\s*\/\*[*!](?![*/])/
const fence = /^\s*(?:```|~~~)/
const docAttribute = /#!?\[\s*doc\s*=[^\]]{0,4000}\]/g

/** Code in fences or indented by four, in `///`, `//!` and block comments; attributes as a whole. */
export function findRustExamples(text: string): readonly string[] {
  const examples: string[] = []
  let fenced: string[] | undefined
  let indented: string[] = []
  for (const line of docLines(text)) {
    if (fenced !== undefined) {
      if (line === null || fence.test(line)) {
        examples.push(fenced.join('\n'))
        fenced = undefined
      } else fenced.push(line.trimEnd())
    } else if (line !== null && /^(?: {4}|\t)\s*\S/.test(line)) indented.push(line.trimEnd())
    else {
      if (indented.length > 0) examples.push(indented.join('\n'))
      indented = []
      if (line !== null && fence.test(line)) fenced = [line.trim()]
    }
  }
  const last = [fenced ?? [], indented].filter((lines) => lines.length > 0)
  const attributes = [...text.matchAll(docAttribute)].map(([found]) => found)
  return [...examples, ...last.map((lines) => lines.join('\n')), ...attributes]
}

/** Without what marks a comment. Null: a line that is not documentation. */
function docLines(text: string): readonly (string | null)[] {
  let isInBlock = false
  return text.split('\n').map((line) => {
    const found = isInBlock ? null : docLine.exec(line)
    if (found !== null) return found[1] ?? ''
    const isStart = !isInBlock && blockStart.test(line)
    if (!isStart && !isInBlock) return null
    isInBlock = !line.includes('*/')
    return line
      .replace(blockStart, '')
      .replace(/\*\/.*$/, '')
      .replace(/^\s*\* ?/, '')
      .replace(/\r$/, '')
  })
}

/**
 * Lines that start with `>>>`, and the results below them. Those of one docstring share their names, so they are one
 * example.
 */
export function findPythonExamples(text: string): readonly string[] {
  const examples: string[] = []
  let docstring: string[] = []
  let isOpen = false
  for (const line of text.split(/\r?\n/)) {
    const isPrompt = /^\s*>>> /.test(line)
    const isQuote = /"""|'''/.test(line)
    if (isPrompt) docstring.push(line.trim())
    else if (isOpen && line.trim() !== '' && !isQuote) docstring.push(line.trim())
    isOpen = isPrompt || (isOpen && line.trim() !== '' && !isQuote)
    if (!isQuote || docstring.length === 0) continue
    examples.push(docstring.join('\n'))
    docstring = []
  }
  return docstring.length === 0 ? examples : [...examples, docstring.join('\n')]
}
