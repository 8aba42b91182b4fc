/**
 * Style sheet of the dialog's shadow root, on top of the browser's own for a modal dialog.
 * `!important` keeps the page's rules out of the host; system colours follow the dialog's
 * `color-scheme`.
 */
export const DIALOG_STYLE =
  ":host{all:initial!important;display:contents!important}" +
  "dialog{padding:0;border:0;outline:0;overflow:hidden;border-radius:16px;font:16px/1.5 system-ui,sans-serif;" +
  "width:min(440px,100vw - 32px);max-width:none;height:clamp(320px,var(--height,640px),100dvh - 48px);max-height:none}" +
  "dialog::backdrop{background:#080a1090}" +
  "iframe{width:100%;height:100%;border:0}" +
  "div{padding:30vh 24px;text-align:center}" +
  "button{padding:9px 24px;border:1px solid;border-radius:10px;background:0 0;color:inherit;font:inherit}" +
  "@media(max-width:520px){dialog{width:100vw;height:100dvh;border-radius:0}}";
