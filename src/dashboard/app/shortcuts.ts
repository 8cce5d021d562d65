/** Keyboard shortcuts: single keys, keys with Ctrl, and two keys in a row. Keys typed into a field are left alone. */

import { useEffect, useRef } from 'react'

export type Shortcuts = Readonly<Record<string, () => void>>

const pairMs = 1000

export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts)
  current.current = shortcuts
  useEffect(() => {
    let first: { readonly key: string; readonly atMs: number } | undefined
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return
      const isCommand = event.ctrlKey || event.metaKey
      if (isTyping(event.target) && !isCommand) return
      if (!isCommand && document.querySelector('dialog[open]') !== null) return
      const key = `${event.ctrlKey ? 'Ctrl+' : ''}${event.metaKey ? 'Meta+' : ''}${event.key}`
      const pair =
        first !== undefined && event.timeStamp - first.atMs < pairMs ? `${first.key} ${key}` : key
      const work = current.current[pair] ?? current.current[key]
      first = { key, atMs: event.timeStamp }
      if (work === undefined) return
      event.preventDefault()
      first = undefined
      work()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
