<?php
// Has Icinga Web's own module graphite load chart templates, and make the charts of metrics, without its web server and Graphite:
//   php graphite.php MODULE TEMPLATES HOST <METRICS    prints a chart a line: command, template, title, metrics

use Icinga\Application\Config;
use Icinga\Module\Graphite\Graphing\GraphiteWebClient;
use Icinga\Module\Graphite\Graphing\MetricsDataSource;
use Icinga\Module\Graphite\Graphing\Templates;
use Icinga\Module\Graphite\Util\MacroTemplate;

[, $module, $directory, $host] = $argv;
foreach (['ipl', 'vendor'] as $library) {
    require "/usr/share/icinga-php/$library/vendor/autoload.php";
}
spl_autoload_register(function ($class) use ($module) {
    foreach (['Icinga\\Module\\Graphite\\' => "$module/library/Graphite/", 'Icinga\\' => '/usr/share/php/Icinga/'] as $prefix => $base) {
        if (strpos($class, $prefix) === 0) {
            $file = $base . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
            if (is_file($file)) {
                require $file;
            }
            return;
        }
    }
});
set_error_handler(function ($number, $text, $file, $line) {
    if (error_reporting() & $number & ~E_DEPRECATED) {
        throw new ErrorException($text, 0, $number, $file, $line);
    }
});
Config::$configDir = '/nonexistent';

/** Answers as Graphite does: an asterisk stands for anything within one step of a path. */
class Metrics extends MetricsDataSource
{
    public $all, $known;
    private $pattern;

    public function select() { return $this; }
    public function setObject($object) { return $this; }
    public function from(MacroTemplate $path)
    {
        $this->pattern = '/\A' . str_replace('\*', '[^.]*', preg_quote($path->resolve($this->known, '*'), '/')) . '\z/';
        return $this;
    }
    public function fetchColumn() { return array_values(preg_grep($this->pattern, $this->all)); }
    public function getClient() { return (new ReflectionClass(GraphiteWebClient::class))->newInstanceWithoutConstructor(); }
}

$metrics = (new ReflectionClass(Metrics::class))->newInstanceWithoutConstructor();
$metrics->all = file('php://stdin', FILE_IGNORE_NEW_LINES);
$templates = (new Templates())->loadDir($directory);
foreach ($templates->getAllTemplates() as $command => $ofCommand) {
    $metrics->known = ['host.name' => $host, 'service.check_command' => $command];
    foreach ($ofCommand as $name => $template) {
        foreach ($template->getCharts($metrics, null, []) as $chart) {
            $title = $template->getUrlParams()['title']->resolve($chart->getMetricVariables());
            echo implode("\t", [$command, $name, $title, implode(' ', $chart->getMetrics())]), "\n";
        }
    }
}
