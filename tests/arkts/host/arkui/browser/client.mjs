// Shows what the server sends, and tells it what the user does.
const app = document.getElementById('app')
const told = document.getElementById('told')
const TOAST_MS = 2500

const send = (path, body) =>
  fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const act = (node, action, value) => send('act', { node: Number(node), action, value })

// Changes `old` into `next` and keeps what is the same: focus, scroll positions and half-entered text stay.
function morph(old, next) {
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name)
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  if (old.matches('input, textarea') && old !== document.activeElement) {
    old.value = next.value
    old.checked = next.checked
  }
  if (old.matches('select')) old.selectedIndex = [...next.options].findIndex((option) => option.hasAttribute('selected'))
  const wanted = [...next.childNodes]
  const key = (node) => node.dataset?.node
  const kept = new Map([...old.children].filter(key).map((child) => [key(child), child]))
  wanted.forEach((child, index) => {
    const at = old.childNodes[index]
    const same = key(child) ? kept.get(key(child)) : at && !key(at) && at.nodeName === child.nodeName ? at : undefined
    if (!same || same.nodeName !== child.nodeName) old.insertBefore(child, at ?? null)
    else {
      if (same !== at) old.insertBefore(same, at ?? null)
      if (child.nodeType === Node.TEXT_NODE) same.data !== child.data && (same.data = child.data)
      else morph(same, child)
    }
  })
  while (old.childNodes.length > wanted.length) old.lastChild.remove()
}

function draw(canvas) {
  const { width, height } = canvas.getBoundingClientRect()
  const scale = devicePixelRatio
  canvas.width = width * scale
  canvas.height = height * scale
  const context = canvas.getContext('2d')
  context.scale(scale, scale)
  for (const [name, ...args] of JSON.parse(canvas.dataset.calls)) {
    if (name === '=') context[args[0]] = String(args[1]).replace(/(vp|fp)\b/, 'px')
    else if (name !== 'reset') context[name](...args)
  }
  const size = `${Math.round(width)}x${Math.round(height)}`
  if (canvas.told !== size) {
    canvas.told = size
    act(canvas.dataset.node, 'resize', { width: Math.round(width), height: Math.round(height) })
  }
}

function show({ html, messages, language, dark }) {
  const next = document.createElement('div')
  next.id = 'app'
  next.innerHTML = html
  morph(app, next)
  app.querySelectorAll('canvas').forEach(draw)
  document.getElementById('phone').classList.toggle('dark', dark)
  document.getElementById('dark').checked = dark
  document.getElementById('language').value = language
  document.documentElement.lang = language.replace('_', '-')
  messages.forEach(showMessage)
}

const shownMessages = new Set()
function showMessage({ id, kind, title, message, buttons = [] }) {
  if (shownMessages.has(id)) return
  shownMessages.add(id)
  const box = document.createElement('div')
  box.className = kind
  box.append(...[title, message].filter(Boolean).map((text) => Object.assign(document.createElement('p'), { textContent: text })))
  buttons.forEach((text, index) => {
    const button = Object.assign(document.createElement('button'), { textContent: text })
    button.onclick = () => box.remove() ?? send('answer', { id, index })
    box.append(button)
  })
  told.append(box)
  if (kind === 'toast') setTimeout(() => box.remove(), TOAST_MS)
}

app.addEventListener('click', ({ target }) => {
  const tab = target.closest('[data-tab]')
  if (tab) return act(tab.dataset.tab, 'input', tab.dataset.index)
  const back = target.closest('[data-back]')
  if (back) return act(back.dataset.back, 'back')
  const element = target.closest('[data-click]')
  if (element && !element.closest('[disabled]')) act(element.dataset.node, 'click')
})
const entered = ({ target }) => act(target.dataset.node, 'input', target.type === 'checkbox' ? target.checked : target.value)
app.addEventListener('input', (event) => event.target.matches('select, [type=checkbox]') || entered(event))
app.addEventListener('change', (event) => event.target.matches('select, [type=checkbox]') && entered(event))
app.addEventListener('keydown', (event) => event.key === 'Enter' && event.target.matches('input') && act(event.target.dataset.node, 'submit'))

document.getElementById('language').onchange = ({ target }) => send('configure', { language: target.value })
document.getElementById('dark').onchange = ({ target }) => send('configure', { dark: target.checked })
document.getElementById('restart').onclick = () => send('restart', {})

const changes = new EventSource('changes')
changes.onmessage = ({ data }) => show(JSON.parse(data))
changes.onerror = () => (document.getElementById('lost').hidden = false)
changes.onopen = () => (document.getElementById('lost').hidden = true)
