{{- define "paymatch.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "paymatch.labels" -}}
app.kubernetes.io/name: paymatch
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "paymatch.selector" -}}
app.kubernetes.io/name: paymatch
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "paymatch.claim" -}}
{{ .Values.files.existingClaim | default (printf "%s-files" (include "paymatch.name" .)) }}
{{- end }}

{{- define "paymatch.backups" -}}
{{ .Values.backup.existingClaim | default (printf "%s-backups" (include "paymatch.name" .)) }}
{{- end }}

{{- define "paymatch.environment" -}}
- name: PAYMATCH_DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.existingSecret }}, key: database-url}}
- name: PAYMATCH_SECRET_KEY
  valueFrom: {secretKeyRef: {name: {{ .Values.existingSecret }}, key: secret-key}}
- name: PAYMATCH_DATABASE_PLAIN_HOSTS
  value: {{ join "," .Values.database.plainHosts | quote }}
- name: PAYMATCH_BASE_URL
  value: {{ printf "https://%s" .Values.host | quote }}
- name: PAYMATCH_TRUSTED_PROXIES
  value: {{ join "," .Values.trustedProxies | quote }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $key := .Values.secretSettings }}
- name: {{ $name }}
  valueFrom: {secretKeyRef: {name: {{ $.Values.existingSecret }}, key: {{ $key }}}}
{{- end }}
{{- end }}

{{- define "paymatch.owner" -}}
- name: PAYMATCH_DATABASE_OWNER_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.existingSecret }}, key: database-owner-url}}
{{- end }}

{{- define "paymatch.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- define "paymatch.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .Values.stopSeconds }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "paymatch.mounts" -}}
- {name: files, mountPath: /var/lib/paymatch}
- {name: temporary, mountPath: /tmp}
{{- end }}

{{- define "paymatch.volumes" -}}
- name: files
  persistentVolumeClaim: {claimName: {{ include "paymatch.claim" . }}}
- name: temporary
  emptyDir: {}
{{- end }}
