/**
 * Limits depth and size of a text before the YAML library parses it. The parser is recursive, so deep nesting can crash
 * the process, and its time grows with the number of tokens. Both are counted first, with the library's lexer, which is
 * not recursive and linear.
 *
 * 1. The depth is never underestimated: a text that passes has at most a few hundred levels.
 */

import type * as Yaml from 'yaml'
import { depthMax, tooDeep, type YamlModule, type YamlProblem } from './yaml-nodes.ts'

const tokensMax = 100_000
/** A pair inside brackets counts in addition to the brackets. */
const flowDepthMax = 2 * depthMax

type TokenType = ReturnType<typeof Yaml.CST.tokenType>

/** Undefined: it can be parsed. */
export function sizeProblem(yaml: YamlModule, text: string): YamlProblem | undefined {
  const depth = createDepth()
  let at = 0
  let lineStart = 0
  let tokens = 0
  let isText = false
  for (const token of new yaml.Lexer().lex(text)) {
    if (marks.has(token)) {
      // A scalar follows, which may look like any token.
      isText = token === yaml.CST.SCALAR
      continue
    }
    const type = isText ? 'scalar' : yaml.CST.tokenType(token)
    isText = false
    const lastBreak = token.lastIndexOf('\n')
    const reason =
      ++tokens > tokensMax
        ? 'the file is too large: move long texts to separate files'
        : depth.add(blockEnd(type, token), at - lineStart, lastBreak !== -1)
    if (reason !== undefined) return { at, path: [], reason }
    if (lastBreak !== -1) lineStart = at + lastBreak + 1
    at += token.length
  }
  return undefined
}

/** A block scalar (`|`) includes its last line break, so it also ends the line. */
const blockEnd = (type: TokenType, token: string): TokenType =>
  type === 'scalar' && token.endsWith('\n') ? 'newline' : type

/** Markers that the lexer inserts between tokens; they are not in the text. */
const marks: ReadonlySet<string> = new Set(['\u0002', '\u0018', '\u001f'])

interface Depth {
  /** Returns why the text is refused, if it is. */
  add(type: TokenType, column: number, hasBreak: boolean): string | undefined
}

function createDepth(): Depth {
  const flow = createFlowDepth()
  const block = createBlockDepth()
  return {
    add(type, column, hasBreak) {
      const isInside = flow.isOpen()
      const isBracket = brackets.has(type)
      if (!isInside && !isBracket) return block.add(type, column, hasBreak)
      // For the enclosing block, everything between brackets is one value.
      if (!isInside) block.content(column, false)
      else if (hasBreak) block.lengthen()
      return flow.add(type)
    },
  }
}

const brackets: ReadonlySet<TokenType> = new Set([
  'flow-map-start',
  'flow-seq-start',
  'flow-map-end',
  'flow-seq-end',
] as const)

interface FlowDepth {
  isOpen(): boolean
  add(type: TokenType): string | undefined
}

/** The depth between brackets. */
function createFlowDepth(): FlowDepth {
  /** For each open bracket, the pairs since the last comma. */
  const open: number[] = []
  let pairs = 0

  function count(): string | undefined {
    return open.length > depthMax || open.length + pairs > flowDepthMax ? tooDeep : undefined
  }

  return {
    isOpen: () => open.length > 0,
    add(type) {
      const last = open.length - 1
      switch (type) {
        case 'flow-map-start':
        case 'flow-seq-start':
          open.push(0)
          return count()
        case 'flow-map-end':
        case 'flow-seq-end':
          pairs -= open.pop() ?? 0
          return undefined
        case 'comma':
          pairs -= open[last] ?? 0
          open[last] = 0
          return undefined
        case 'explicit-key-ind':
          return longForm
        case 'map-value-ind':
        case 'seq-item-ind':
          pairs++
          open[last] = (open[last] ?? 0) + 1
          return count()
        default:
          return undefined
      }
    },
  }
}

interface BlockDepth extends Depth {
  content(column: number, hasBreak: boolean): void
  /** The value before continues on another line. */
  lengthen(): void
}

/** The depth by indentation. */
function createBlockDepth(): BlockDepth {
  /** The columns of the open collections, in ascending order. */
  let columns: number[] = []
  /** The column where the key starts, if a colon follows. */
  let keyColumn: number | undefined
  /** The value before, which may be a key, has several lines. */
  let isLong = false
  /** This line already has a key. */
  let hasPair = false

  /** A collection cannot start after a key on the same line, since the parser would not count its indentation. */
  function open(column: number): string | undefined {
    if (hasPair) return crowded
    columns = columns.filter((other) => other < column)
    columns.push(column)
    keyColumn = undefined
    return columns.length > depthMax ? tooDeep : undefined
  }

  function addColon(): string | undefined {
    if (keyColumn === undefined) return noKey
    if (isLong) return longKey
    const reason = open(keyColumn)
    hasPair = true
    return reason
  }

  function content(column: number, hasBreak: boolean): undefined {
    isLong = hasBreak || (isLong && keyColumn !== undefined)
    keyColumn ??= column
  }

  return {
    content,
    lengthen: () => void (isLong = true),
    add(type, column, hasBreak) {
      switch (type) {
        case 'newline':
          keyColumn = undefined
          hasPair = false
          return undefined
        case 'seq-item-ind':
          return keyColumn === undefined ? open(column) : crowded
        case 'explicit-key-ind':
          return longForm
        case 'map-value-ind':
          return addColon()
        case 'doc-start':
        case 'doc-end':
          columns = []
          return undefined
        case 'space':
        case 'comment':
          return undefined
        default:
          return content(column, hasBreak)
      }
    },
  }
}

/** Explicit keys are not needed, and let the parser go deeper without indentation. */
const longForm = 'a key that begins with ? is not allowed: write key: value'
const noKey = 'the key is missing before the colon'
const longKey =
  'this is not YAML: a key must be on one line. Check the indentation of the lines above'
const crowded =
  'this is not YAML: a second key, or a list, on the line of another value. ' +
  'Put text with ": " in it in quotes, or begin a new line'
