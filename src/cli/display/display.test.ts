import { expect, test } from 'vitest'
import { initialState } from '../../loop/index.ts'
import { createStyle } from '../terminal.ts'
import { createDisplay } from './display.ts'

test('what ends late, such as a question, brings no bottom line back', () => {
  const written: string[] = []
  const output = { write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream
  const terminal = { live: true, asks: true, style: createStyle(false), width: () => 80 }
  const display = createDisplay(output, terminal, initialState)
  display.pause()
  display.resume()
  expect(written.join('')).toContain('0/')
  display.pause()
  display.close()
  written.length = 0
  display.resume()
  expect(written).toEqual([])
})
