import { describe, expect, test } from 'vitest'
import { searchTools } from './search-tools.ts'

const tools = [
  { name: 'grep', description: 'Searches the text of files.' },
  { name: 'files__search_files', description: 'Finds names.' },
  { name: 'search', description: 'Looks something up.' },
  { name: 'research', description: 'Reads the web.' },
  { name: 'write', description: 'Writes a file.' },
]
const names = (query: string): readonly string[] =>
  searchTools(tools, query).map(({ name }) => name)

describe('searching tools', () => {
  test('without words returns all of them in their order', () => {
    expect(names(' , ')).toEqual(tools.map(({ name }) => name))
  })
  test('ranks the name above a word of it, above a part of it, above the description', () => {
    expect(names('search')).toEqual(['search', 'files__search_files', 'research', 'grep'])
  })
  test('keeps only tools that contain every word', () => {
    expect(names('search names')).toEqual(['files__search_files'])
    expect(names('search nothing')).toEqual([])
  })
  test('ignores case', () => {
    expect(names('WEB')).toEqual(['research'])
  })
  test('takes words literally, not as patterns', () => {
    expect(names('(wr|xx)ite')).toEqual([])
    expect(names('[write]')).toEqual(['write'])
  })
})
