import { describe, expect, test } from 'vitest'
import {
  type ClassifyOptions,
  classifyTrees,
  classLines,
  type TreeFiles,
} from '../../testing/classify-trees.ts'

type Row = [string, TreeFiles, readonly string[], ClassifyOptions?]

describe('seals', () => {
  const start: TreeFiles = {
    'package.json': JSON.stringify({ name: 'x', exports: './src/sum.js' }),
    'src/sum.js': 'a - b',
    'src/plugin.js': 'x',
    'src/words.json': '{"port": 1}',
  }

  test.each<Row>([
    ['a file of the loop', { 'loopwright.yaml': 'y' }, ['sealed loopwright.yaml']],
    [
      'a path of the loop file, although it is work',
      { 'src/sum.js': 'y' },
      ['sealed src/sum.js'],
      { seals: { paths: ['src/sum.js'] } },
    ],
    [
      'a file that a command names',
      { 'src/plugin.js': 'y' },
      ['sealed src/plugin.js'],
      { seals: { names: ['./src/plugin.js'] } },
    ],
    [
      'keys of the loop file',
      { 'src/words.json': '{"port": 2, "a": 1}' },
      ['sealed src/words.json [port]'],
      { seals: { keys: { 'src/words.json': ['port'] } } },
    ],
    [
      'exceptions do not apply to the files of the loop',
      { 'loopwright.yaml': 'y', 'own.yaml': 'y' },
      ['sealed loopwright.yaml', 'sealed own.yaml'],
      { seals: { except: ['**'], loopFiles: ['own.yaml'] } },
    ],
  ])('%s', async (_name, changes, expected, options = {}) => {
    expect(classLines(await classifyTrees(start, changes, options))).toEqual(expected)
  })
})
